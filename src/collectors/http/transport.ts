import { Agent, buildConnector } from "undici";
import { addressedPool } from "./addressed-client.ts";
import { openGuardedAgent } from "./guarded-agent.ts";
import { repairHeads } from "./repair-heads.ts";
import { TargetGuard, type TargetGuardOptions } from "./target-guard.ts";
import { BufferedExchange, StreamedExchange } from "./wire-exchange.ts";
import type { WireCaps, WireRequest, WireResponse, WireStream } from "./wire.ts";

export interface TransportOptions {
  /** Sockets per origin; lanes hold the real concurrency, this only stops a runaway. */
  readonly connections?: number;
  readonly connectMs?: number;
  /** How long an idle socket is kept where the server says nothing (`Keep-Alive: timeout=` wins). */
  readonly keepAliveMs?: number;
  /** Off by default: on HTTP/2 one lost connection fails every item that happens to share it. */
  readonly allowHttp2?: boolean;
  /** For requests that may only go to public addresses. */
  readonly guard?: TargetGuardOptions;
}

/** The sockets of one process. One request in, one response out: no redirects, no cookies, no judgement. */
export interface Transport {
  readonly guard: TargetGuard;
  /** Resolves with the whole body. */
  send(request: WireRequest, caps: WireCaps): Promise<WireResponse>;
  /** Resolves at the response's head; the body is read by whoever iterates it. */
  open(request: WireRequest, caps: WireCaps): Promise<WireStream>;
  close(): Promise<void>;
}

export const createTransport = (options: TransportOptions = {}): Transport => {
  const guard = new TargetGuard(options.guard);
  const allowH2 = options.allowHttp2 ?? false;
  const settings = {
    connections: options.connections ?? 256,
    pipelining: 1,
    allowH2,
    factory: addressedPool,
    keepAliveTimeout: options.keepAliveMs ?? 15_000,
    // A single timer per request (WireCaps.timeoutMs) covers headers, body and drip.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: options.connectMs ?? 10_000 },
  };
  const open = new Agent({
    ...settings,
    connect: repairHeads(buildConnector({ allowH2, ...settings.connect })),
  });
  const guarded = openGuardedAgent(guard, settings);
  const agentFor = ({ isGuarded }: WireRequest) => (isGuarded ? guarded : open);
  return {
    guard,
    send: (request, caps) => new BufferedExchange(agentFor(request), request, caps).response,
    open: (request, caps) => new StreamedExchange(agentFor(request), request, caps).opened,
    close: async () => void (await Promise.all([open.destroy(), guarded.destroy()])),
  };
};
