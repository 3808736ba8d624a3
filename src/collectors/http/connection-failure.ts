import { promises as dns } from "node:dns";
import { FailureError, type FailureKind, ownTrouble, OwnTroubleError } from "../../domain/failure.ts";

/** Meanings of error codes of undici, Node and OpenSSL; any other code is a broken connection. */
const MEANINGS: Readonly<Record<string, readonly [FailureKind, string]>> = {
  UND_ERR_CONNECT_TIMEOUT: ["timeout", "the connection took too long"],
  ETIMEDOUT: ["timeout", "the connection timed out"],
  UND_ERR_HEADERS_OVERFLOW: ["too-large", "the response headers are too large"],
  HPE_HEADER_OVERFLOW: ["too-large", "the response headers are too large"],
  ECONNREFUSED: ["connection", "connection refused"],
  ECONNRESET: ["connection", "connection reset"],
  EPIPE: ["connection", "connection reset"],
  ENOTFOUND: ["connection", "no such host name"],
  EAI_AGAIN: ["connection", "the host name could not be looked up"],
  EHOSTUNREACH: ["connection", "host unreachable"],
  ENETUNREACH: ["connection", "network unreachable"],
  UND_ERR_SOCKET: ["connection", "the site closed the connection before the response was complete"],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ["connection", "the body's length differs from its Content-Length"],
};

const codeOf = (error: Error): string | undefined => {
  if ("code" in error && typeof error.code === "string") return error.code;
  // undici's parser errors have a code only if the parser had one.
  return error.name === "HTTPParserError" ? "HPE_INVALID" : undefined;
};

/** Turns a connection error into a failure. Our own errors (aborts, bad arguments) are returned unchanged. */
export const connectionFailure = (error: Error, url: URL): Error => {
  const code = codeOf(error);
  // One refused connection ends all requests that waited for it: each failure gets its own URL.
  if (error instanceof FailureError)
    return new FailureError({ url: url.href, ...error.failure }, { cause: error });
  if (code === undefined || code === "UND_ERR_INVALID_ARG") return error;
  const own = ownTrouble(error);
  if (own) return own;
  const [kind, detail] = MEANINGS[code] ?? (["connection", describe(code)] as const);
  return new FailureError(
    { kind, detail: `${detail}: ${url.host} (${code})`, url: url.href },
    { cause: error },
  );
};

const describe = (code: string): string => {
  if (code.startsWith("HPE_")) return "the response is not valid HTTP";
  if (/CERT|TLS|SSL|SIGNED|VERIFY/.test(code)) return "no trusted TLS connection";
  return "the connection broke";
};

/** Replies that show a working resolver. No reply, or SERVFAIL, shows none. */
const ANSWERS: ReadonlySet<unknown> = new Set(["ENODATA", "ENOTFOUND", "EREFUSED", "ENOTIMP", "EFORMERR"]);
const KEEP_MS = 5000;

let asked: { readonly isDown: Promise<boolean>; readonly at: number } | undefined;

/** Whether this machine cannot resolve any names; checked at most every few seconds. */
const isResolverDown = (): Promise<boolean> => {
  const now = performance.now();
  if (!asked || now - asked.at > KEEP_MS) {
    const resolver = new dns.Resolver({ timeout: 2000, tries: 2 });
    const isDown = resolver.resolveNs(".").then(
      () => false,
      (error: NodeJS.ErrnoException) => !ANSWERS.has(error.code),
    );
    asked = { isDown, at: now };
  }
  return asked.isDown;
};

/** A failed lookup may be the site's fault or this machine's. Throws `OwnTroubleError` for the latter. */
export const refuseOwnLookupTrouble = async (
  error: unknown,
  check: () => Promise<boolean> = isResolverDown,
): Promise<void> => {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && "code" in cause && cause.code === "EAI_AGAIN" && (await check()))
    throw new OwnTroubleError("EAI_AGAIN", "no name server answers this machine", { cause });
};
