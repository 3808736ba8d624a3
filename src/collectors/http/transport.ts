import { Agent, buildConnector, Client, type Dispatcher, Pool } from "undici";
import { repairHeads } from "./repair-heads.ts";
import { forbidden, TargetGuard, type TargetGuardOptions } from "./target-guard.ts";
import { BufferedExchange, StreamedExchange } from "./wire-exchange.ts";
import type { WireCaps, WireRequest, WireResponse, WireStream } from "./wire.ts";

export interface TransportOptions {
  /** Sockets per origin. Lanes limit the concurrency; this only stops a runaway. */
  readonly connections?: number;
  readonly connectMs?: number;
  /** How long an idle socket stays open unless the server says otherwise (`Keep-Alive: timeout=`). */
  readonly keepAliveMs?: number;
  /** Off by default: on HTTP/2 one lost connection fails every item that shares it. */
  readonly allowHttp2?: boolean;
  /** For requests that are restricted to public addresses. */
  readonly guard?: TargetGuardOptions;
}

/** The sockets of one process. One request, one response: no redirects, no cookies, no classification. */
export interface Transport {
  readonly guard: TargetGuard;
  /** Resolves with the whole body. */
  send(request: WireRequest, caps: WireCaps): Promise<WireResponse>;
  /** Resolves with the response's head; the body is read by iteration. */
  open(request: WireRequest, caps: WireCaps): Promise<WireStream>;
  close(): Promise<void>;
}

export const createTransport = (options: TransportOptions = {}): Transport => {
  const guard = new TargetGuard(options.guard);
  const settings = {
    connections: options.connections ?? 256,
    pipelining: 1,
    allowH2: options.allowHttp2 ?? false,
    factory: addressedPool,
    keepAliveTimeout: options.keepAliveMs ?? 15_000,
    // One timer per request (WireCaps.timeoutMs) covers headers, body and slow senders.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: options.connectMs ?? 10_000 },
  };
  const open = openAgent(settings);
  // Separate sockets: one that was opened without the guard must not serve a guarded request.
  const guarded = openAgent(settings, guard);
  const agentFor = ({ isGuarded }: WireRequest) => (isGuarded ? guarded : open);
  return {
    guard,
    send: (request, caps) => new BufferedExchange(agentFor(request), request, caps).response,
    open: (request, caps) => new StreamedExchange(agentFor(request), request, caps).opened,
    close: async () => void (await Promise.all([open.destroy(), guarded.destroy()])),
  };
};

interface AgentSettings extends Omit<Agent.Options, "connect"> {
  readonly allowH2: boolean;
  readonly connect: buildConnector.BuildOptions;
}

/** With a guard, addresses are judged by their spelling (they need no lookup), names by the lookup. */
const openAgent = ({ connect, ...settings }: AgentSettings, guard?: TargetGuard): Agent => {
  const { allowH2 } = settings;
  const connector = repairHeads(
    buildConnector({ allowH2, ...connect, ...(guard && { lookup: guard.lookup }) }),
  );
  const guarded: buildConnector.connector = (target, callback) => {
    const refusal = guard?.refusalOf(target.hostname);
    if (refusal === undefined) connector(target, callback);
    else callback(forbidden(refusal), null);
  };
  return new Agent({ ...settings, connect: guarded });
};

/** For requests outside of items, such as webhooks: the `dispatcher` of undici's `request` or `fetch`. */
export const guardedDispatcher = (options: TargetGuardOptions = {}): Agent =>
  openAgent({ allowH2: false, connect: { timeout: 10_000 } }, new TargetGuard(options));

/** Why a URL is refused now, or undefined: early feedback for its author. The request itself still needs the guarded dispatcher. */
export const checkTarget = (url: URL, options: TargetGuardOptions = {}): Promise<string | undefined> =>
  new TargetGuard(options).refusalNow(url);

/** Knows the address of its only socket, and passes it to each request's `addressOf`. */
class AddressedClient extends Client {
  #address: string | undefined;

  constructor(origin: URL, options: Client.Options) {
    const connect = options.connect as buildConnector.connector;
    super(origin, {
      ...options,
      connect: (target, callback) =>
        connect(target, (...result) => {
          this.#address = result[1]?.remoteAddress;
          callback(...result);
        }),
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    (handler as { addressOf?: () => string | undefined }).addressOf = () => this.#address;
    return super.dispatch(options, handler);
  }
}

/** An agent's `factory`; there, `connect` must be a function. */
const addressedPool = (origin: string | URL, options: object): Pool =>
  new Pool(String(origin), { ...options, factory: (to, own) => new AddressedClient(to, own) });
