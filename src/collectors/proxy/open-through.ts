import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, type SecureContext } from "node:tls";
import { FailureError, type FailureKind, ownTrouble } from "../../domain/failure.ts";
import type { ProviderName, ProxyUrl } from "../../domain/proxy-tier.ts";
import type { EgressGuard } from "../egress/open-socket.ts";
import type { Target } from "../egress/request-head.ts";
import { askSocks } from "./ask-socks.ts";
import { readUntil } from "./read-until.ts";
import { refusalOfTunnel } from "./refusal.ts";

/** One proxy, with the login of one session. */
export interface Exit extends ProxyUrl {
  readonly provider?: ProviderName | undefined;
  /** For a proxy that is itself reached by TLS. */
  readonly secureContext?: SecureContext | undefined;
}

interface ThroughOptions {
  readonly signal: AbortSignal;
  /** Gets the socket to the proxy at once: its bytes are what the provider counts. */
  readonly onSocket?: ((socket: Socket) => void) | undefined;
}

/** The proxy itself was not reached: another one of the same tier may be. */
export class UnreachableError extends FailureError {}

const REACH_MS = 10_000;
/** Residential exits are slow. */
const ANSWER_MS = 20_000;
const LOOKUP_MS = 2_000;

/**
 * A tunnel to the target. It is opened by CONNECT also for http targets: a forwarded request could not be told from the site's own response, and one
 * mechanism is enough. The proxy resolves the name.
 */
export const openThrough = async (
  exit: Exit,
  target: Target,
  { signal, onSocket }: ThroughOptions,
): Promise<Socket> => {
  signal.throwIfAborted();
  const raw = connect({ host: exit.host, port: exit.port, noDelay: true });
  onSocket?.(raw);
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
  stopped.catch(() => undefined);
  const abort = (): void => stop(signal.reason as Error);
  signal.addEventListener("abort", abort);
  // Stays attached: users of the tunnel get its errors from the socket on top.
  raw.on("error", stop);
  raw.on("close", () => stop(new Error("closed")));
  try {
    const tunnel = await reach(exit, raw, stopped);
    await ask(exit, tunnel, target, stopped);
    return tunnel;
  } catch (error) {
    raw.destroy();
    signal.throwIfAborted();
    throw ownTrouble(error) ?? error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
};

const reach = async (exit: Exit, raw: Socket, stopped: Promise<never>): Promise<Socket> => {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const { scheme, host, secureContext } = exit;
  if (scheme === "https")
    raw.once("connect", () => {
      const secure = connectTls({
        socket: raw,
        ...(isIP(host) ? {} : { servername: host }),
        host,
        ALPNProtocols: ["http/1.1"],
        ...(secureContext && { secureContext }),
      });
      secure.once("secureConnect", () => resolve(secure)).on("error", reject);
    });
  else raw.once("connect", () => resolve(raw));
  try {
    return await within(REACH_MS, Promise.race([promise, stopped]), () => new Error("it took too long"));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw unreachable(`the proxy ${exit.host}:${exit.port} cannot be reached (${code ?? message})`, error);
  }
};

const ask = async (exit: Exit, tunnel: Socket, target: Target, stopped: Promise<never>): Promise<void> => {
  const asked = exit.scheme === "socks5" ? askSocks(tunnel, exit, target) : askHttp(exit, tunnel, target);
  try {
    // It is unknown whether the site or the proxy failed, so it is not counted against the tier.
    const late = (): FailureError =>
      failure("timeout", "no tunnel to the site within 20 s: neither site nor proxy answered");
    await within(ANSWER_MS, Promise.race([asked, stopped]), late);
  } catch (error) {
    if (error instanceof FailureError) throw error;
    throw failure("proxy", "the proxy closed the connection without a response", error);
  }
};

const askHttp = async (exit: Exit, tunnel: Socket, { host, port }: Target): Promise<void> => {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const login = Buffer.from(`${exit.user}:${exit.password ?? ""}`).toString("base64");
  const lines = [
    `CONNECT ${authority} HTTP/1.1`,
    `Host: ${authority}`,
    ...(exit.user === undefined ? [] : [`Proxy-Authorization: Basic ${login}`]),
  ];
  tunnel.write(`${lines.join("\r\n")}\r\n\r\n`);
  const head = await readUntil(tunnel, (bytes) => {
    const end = bytes.indexOf("\r\n\r\n");
    return end < 0 ? undefined : end + 4;
  });
  const [first = "", ...rest] = head.toString("latin1").trimEnd().split("\r\n");
  const status = Number(/^HTTP\/1\.\d (\d{3})\b/.exec(first)?.[1]);
  if (status >= 200 && status < 300) return;
  if (Number.isNaN(status)) throw failure("proxy", "the proxy did not answer with HTTP. Check its URL");
  const headers = rest.map((line): [string, string] => {
    const at = line.indexOf(":");
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
  const { kind, detail } = refusalOfTunnel(status, headers, exit.provider);
  throw failure(kind, detail);
};

/** Refuses private targets before a proxy is used. Best effort for names, which the proxy resolves itself. */
export const refuseTarget = async (host: string, guard: EgressGuard): Promise<void> => {
  const refusal = guard.refusalOf(host) ?? guard.refusalOfName?.(host);
  if (refusal !== undefined) throw failure("forbidden-target", refusal);
  if (isIP(host)) return;
  const looked = new Promise<void>((resolve, reject) =>
    guard.lookup(host, { all: true }, (error) => (error instanceof FailureError ? reject(error) : resolve())),
  );
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, LOOKUP_MS);
  try {
    await Promise.race([looked, late]);
  } finally {
    clearTimeout(timer);
  }
};

const within = async <Result>(ms: number, work: Promise<Result>, late: () => Error): Promise<Result> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
};

const failure = (kind: FailureKind, detail: string, cause?: unknown): FailureError =>
  new FailureError({ kind, detail }, { cause });

const unreachable = (detail: string, cause: unknown): UnreachableError =>
  new UnreachableError({ kind: "proxy", detail }, { cause });
