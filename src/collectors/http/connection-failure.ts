import { FailureError, type FailureKind, ownTrouble } from "../../domain/failure.ts";

/** What a code of undici, Node or OpenSSL means to a person; codes not named here are broken connections. */
const MEANINGS: Readonly<Record<string, readonly [FailureKind, string]>> = {
  UND_ERR_CONNECT_TIMEOUT: ["timeout", "no connection in time"],
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
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ["connection", "the body is not as long as the site announced"],
};

const codeOf = (error: Error): string | undefined => {
  if ("code" in error && typeof error.code === "string") return error.code;
  // undici gives its parser's errors a code only where the parser had one.
  return error.name === "HTTPParserError" ? "HPE_INVALID" : undefined;
};

/** Turns what broke a request into a failure. Errors of ours (aborts, bad arguments) are given back as they are. */
export const connectionFailure = (error: Error, url: URL): Error => {
  const code = codeOf(error);
  // One refused connection ends all requests that waited for it: each is told its own URL.
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
