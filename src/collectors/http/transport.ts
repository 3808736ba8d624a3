import type { Socket } from "node:net";
import { Agent, buildConnector, Client, type Dispatcher, Pool } from "undici";
import type { ProxyRoute } from "../../ports/collector.ts";
import type { Proxies, RoutedConnector } from "../proxy/proxies.ts";
import { SocketMeter } from "../proxy/socket-meter.ts";
import { BrowserSender } from "./browser-sender.ts";
import type { MakeClient } from "./load-impit.ts";
import { repairHeads } from "./repair-heads.ts";
import { forbidden, TargetGuard, type TargetGuardOptions } from "./target-guard.ts";
import { BufferedExchange, type Sender, StreamedExchange } from "./wire-exchange.ts";
import type { ResponseHead, WireCaps, WireMeter, WireRequest, WireResponse, WireStream } from "./wire.ts";

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
  /** For requests with a route. */
  readonly proxies?: Proxies | undefined;
  /** For requests with the identity of a browser; impit by default. */
  readonly makeClient?: MakeClient | undefined;
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

/** Sessions whose sockets are kept open; the least recently used are closed. */
const MOST_SESSIONS = 500;

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
  const { proxies } = options;
  const routed = new Map<string, Agent>();
  const routedAgent = (route: ProxyRoute, isGuarded: boolean): Agent => {
    if (!proxies) throw new TypeError("a request with a route needs proxies");
    const key = JSON.stringify([route.tier, route.session, isGuarded]);
    const connector = (): RoutedConnector =>
      proxies.connector(route, { allowH2: settings.allowH2, ...(isGuarded && { guard }) });
    const agent = routed.get(key) ?? new Agent({ ...settings, connect: repairHeads(connector()) });
    routed.delete(key);
    routed.set(key, agent);
    const [oldest] = routed;
    if (oldest && routed.size > MOST_SESSIONS) {
      routed.delete(oldest[0]);
      // Requests in flight still end.
      void oldest[1].close();
    }
    return agent;
  };
  const browser = new BrowserSender({
    guard,
    proxies,
    keepAliveMs: settings.keepAliveTimeout,
    ...(options.makeClient && { makeClient: options.makeClient }),
  });
  const agentFor = (request: WireRequest): Sender => {
    const { isGuarded = false, route, identity } = request;
    if (identity === "browser") return browser.senderFor(request);
    return route ? routedAgent(route, isGuarded) : isGuarded ? guarded : open;
  };
  const refusalFor = ({ route }: WireRequest) =>
    route && ((head: ResponseHead) => proxies?.refusalIn(route, head));
  return {
    guard,
    send: (request, caps) =>
      begin(
        request,
        () => new BufferedExchange(agentFor(request), request, caps, refusalFor(request)).response,
      ),
    open: (request, caps) =>
      begin(
        request,
        () => new StreamedExchange(agentFor(request), request, caps, refusalFor(request)).opened,
      ),
    close: async () => {
      const agents = [open, guarded, ...routed.values()].map((agent) => agent.destroy());
      await Promise.all([...agents, browser.close()]);
    },
  };
};

/** undici frees a socket only after its response was handled. Sent at once, the next request of an item would have to open another socket. */
const begin = <Result>({ route }: WireRequest, start: () => Promise<Result>): Promise<Result> =>
  route ? new Promise<void>((resolve) => void setImmediate(resolve)).then(start) : start();

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

/** Knows its only socket: passes its address, and what it has moved to and from a proxy, to each request. */
class WatchedClient extends Client {
  #address: string | undefined;
  #toProxy: SocketMeter | undefined;
  #counted = 0;
  #last: WireMeter | undefined;

  constructor(origin: URL, options: Client.Options) {
    const connect = options.connect as RoutedConnector;
    super(origin, {
      ...options,
      connect: (target, callback) => {
        const onSocket = (socket: Socket): void => {
          this.#toProxy ??= new SocketMeter();
          // Bytes after the last request belong to it, too.
          this.#toProxy.add(socket, () => this.#last && this.#count(this.#last));
        };
        connect({ ...target, onSocket }, (...result) => {
          // A proxy's address says nothing about the site's.
          this.#address = this.#toProxy ? undefined : result[1]?.remoteAddress;
          callback(...result);
        });
      },
    });
  }

  #count(meter: WireMeter): void {
    if (!this.#toProxy) return;
    const { moved } = this.#toProxy;
    meter.proxyBytes = (meter.proxyBytes ?? 0) + moved - this.#counted;
    this.#counted = moved;
    this.#last = meter;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const exchange = handler as Pick<BufferedExchange, "addressOf" | "countInto">;
    exchange.addressOf = () => this.#address;
    exchange.countInto = (meter) => this.#count(meter);
    return super.dispatch(options, handler);
  }
}

/** An agent's `factory`; there, `connect` must be a function. */
const addressedPool = (origin: string | URL, options: object): Pool =>
  new Pool(String(origin), { ...options, factory: (to, own) => new WatchedClient(to, own) });
