import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { callbackify } from "node:util";
import type { buildConnector } from "undici";
import { FailureError } from "../../domain/failure.ts";
import { DIRECT, parseTierUse } from "../../domain/proxy-ladder.ts";
import {
  priceOf,
  type ProviderName,
  type ProxyConfig,
  type ProxyPrice,
  tierProblem,
  userName,
} from "../../domain/proxy-tier.ts";
import type { ProxyRoute } from "../../ports/collector.ts";
import type { EgressGuard, OpenTarget } from "../egress/open-socket.ts";
import type { Target } from "../egress/request-head.ts";
import type { ResponseHead } from "../http/wire.ts";
import { bridgeTls } from "./bridge-tls.ts";
import { type Exit, openThrough, refuseTarget, UnreachableError } from "./open-through.ts";
import { makeOwnCertificate } from "./own-certificate.ts";
import { refusalInResponse, type Refused } from "./refusal.ts";
import { siteTls } from "./site-tls.ts";
import { openTier, order, OUT_MS, type Tier } from "./tier.ts";

/** The proxies of one process. */
export interface Proxies {
  /** Whether routes may name it: `residential:us-tx`. */
  has(tier: string): boolean;
  /** Whether its provider intercepts TLS, with its own certificates. */
  hasCa(tier: string): boolean;
  /** Opens tunnels, for the egress proxy of browsers. */
  open(route: ProxyRoute): OpenTarget;
  /** The key under which a browser gets TLS of tiers with a `ca`, for Chromium's list of keys; undefined if there are none. */
  readonly keyHash: string | undefined;
  /** Why TLS to a site fails on this route, if it is the provider's doing: a browser does not say. */
  tlsProblem(
    route: ProxyRoute,
    target: Target,
    onSocket?: (socket: Socket) => void,
  ): Promise<Refused | undefined>;
  /** Opens sockets for undici; for https, with TLS to the site inside the tunnel. */
  connector(route: ProxyRoute, options: ConnectorOptions): RoutedConnector;
  priceOf(tier: string): ProxyPrice;
  /** The provider's own error in place of the site's response. */
  refusalIn(route: ProxyRoute, head: ResponseHead): Refused | undefined;
  /** Gives up tunnels that are being opened. */
  close(): void;
}

interface ConnectorOptions {
  readonly allowH2: boolean;
  readonly guard?: EgressGuard | undefined;
}

type RoutedTarget = Parameters<buildConnector.connector>[0] & Pick<Parameters<OpenTarget>[1], "onSocket">;

/** An undici connector. `onSocket` gets the socket to the proxy, whose bytes are paid for. */
export type RoutedConnector = (target: RoutedTarget, callback: buildConnector.Callback) => void;

/** Files and variables are read when a tier is first used: one that lacks its password must not stop the others. */
export const createProxies = (config: ProxyConfig): Proxies => {
  const opened = new Map<string, Tier>();
  const ended = new AbortController();
  const tierOf = (name: string): Tier => {
    const known = opened.get(name) ?? openTier(name, config.tiers[name]!);
    opened.set(name, known);
    return known;
  };
  const providerOf = (tier: string): ProviderName | undefined =>
    config.tiers[parseTierUse(tier)?.tier ?? ""]?.provider;
  const needsOwn = Object.values(config.tiers).some(({ ca }) => ca !== undefined);
  const own = needsOwn ? makeOwnCertificate() : undefined;

  const openTunnel = async (
    { tier, session }: ProxyRoute,
    ...[target, { guard, signal, onSocket }]: Parameters<OpenTarget>
  ): Promise<{ readonly tunnel: Socket; readonly of: Tier }> => {
    if (guard) await refuseTarget(target.host, guard);
    const problem = tier === DIRECT ? "direct is not a proxy" : tierProblem(config, tier);
    if (problem !== undefined) throw new FailureError({ kind: "proxy", detail: problem });
    const { tier: name, ...place } = parseTierUse(tier)!;
    const of = tierOf(name);
    const user = userName(of.config, place, session);
    const login = user === undefined ? {} : { user, password: of.password ?? "" };
    let last: unknown;
    for (const member of order(of.members, session)) {
      const exit: Exit = { ...login, ...member.url, provider: of.provider, secureContext: of.secureContext };
      try {
        const either = AbortSignal.any([signal, ended.signal]);
        return { tunnel: await openThrough(exit, target, { signal: either, onSocket }), of };
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        member.outUntil = performance.now() + OUT_MS;
        last = error;
      }
    }
    throw last;
  };

  const connectTo = (route: ProxyRoute, { allowH2, guard }: ConnectorOptions) => {
    let secure: ReturnType<typeof siteTls> | undefined;
    return async ({ onSocket, ...target }: RoutedTarget): Promise<Socket> => {
      const isSecure = target.protocol === "https:";
      const to = { host: target.hostname, port: Number(target.port) || (isSecure ? 443 : 80) };
      const { tunnel, of } = await openTunnel(route, to, { guard, signal: ended.signal, onSocket });
      if (!isSecure) return tunnel;
      secure ??= siteTls({ ...of, allowH2 });
      return await secure(target, tunnel);
    };
  };

  return {
    has: (tier) => tierProblem(config, tier) === undefined,
    hasCa: (tier) => config.tiers[parseTierUse(tier)?.tier ?? ""]?.ca !== undefined,
    keyHash: own?.keyHash,
    open:
      (route) =>
      async (target, options): Promise<Duplex> => {
        const { tunnel, of } = await openTunnel(route, target, options);
        return own && of.secureContext
          ? bridgeTls(tunnel, target, { own: own.secureContext, trusted: of.secureContext })
          : tunnel;
      },
    connector(route, options) {
      const connecting = callbackify(connectTo(route, options));
      return (target, callback) =>
        connecting(target, (error, socket) => (error ? callback(error, null) : callback(null, socket)));
    },
    async tlsProblem(route, { host, port }, onSocket) {
      const target = { hostname: host, host: `${host}:${port}`, port: String(port), protocol: "https:" };
      try {
        (await connectTo(route, { allowH2: false })({ ...target, onSocket })).destroy();
      } catch (error) {
        if (error instanceof FailureError && error.failure.kind === "proxy")
          return { kind: "proxy", detail: error.failure.detail };
      }
      return undefined;
    },
    priceOf: (tier) => priceOf(config, tier),
    refusalIn: ({ tier }, { status, headers }) => refusalInResponse(status, headers, providerOf(tier)),
    close: () => ended.abort(new Error("the proxies were closed")),
  };
};
