import { connect, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { FailureError } from "../../domain/failure.ts";
import type { Target } from "./request-head.ts";

/** The target guard, as far as the proxy needs it. */
export interface EgressGuard {
  /** Why a host is refused by its spelling; names are judged by the lookup. */
  readonly refusalOf: (host: string) => string | undefined;
  /** Why a name is refused where a proxy resolves it: by its spelling, too. */
  readonly refusalOfName?: (host: string) => string | undefined;
  /** Gives only allowed addresses. */
  readonly lookup: LookupFunction;
}

interface OpenOptions {
  /** If given, only the addresses that it allows. */
  readonly guard?: EgressGuard | undefined;
  /** Ends the attempt to connect. */
  readonly signal: AbortSignal;
  /** Through a provider's proxy, gets the socket to it at once: its bytes are paid for, those that open the tunnel included. */
  readonly onSocket?: ((socket: Socket) => void) | undefined;
}

/** How traffic is routed: directly, or through a provider's proxy. The bytes of the stream are counted. */
export type OpenTarget = (target: Target, options: OpenOptions) => Promise<Duplex>;

const CONNECT_MS = 10_000;

/** Connects directly. The guard judges the address of the connection itself: a name that changes its address in between gains nothing. */
export const openSocket: OpenTarget = async ({ host, port }, { guard, signal }) => {
  const refusal = guard?.refusalOf(host);
  if (refusal !== undefined) throw new FailureError({ kind: "forbidden-target", detail: refusal });
  const socket = connect({ host, port, noDelay: true, ...(guard && { lookup: guard.lookup }) });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(
    () => reject(new FailureError({ kind: "timeout", detail: "the connection took too long" })),
    CONNECT_MS,
  );
  const stop = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", stop);
  socket.once("connect", resolve).on("error", reject);
  try {
    signal.throwIfAborted();
    await promise;
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
};
