import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { createSecureContext, getCACertificates, type SecureContext, type TLSSocket } from "node:tls";
import { callbackify } from "node:util";
import { buildConnector } from "undici";
import { FailureError } from "../../domain/failure.ts";
import { DIRECT, parseTierUse } from "../../domain/proxy-ladder.ts";
import {
  hashOf,
  parseProxyUrl,
  priceOf,
  type ProviderName,
  PROVIDERS,
  type ProxyConfig,
  type ProxyPrice,
  type ProxyTierConfig,
  type ProxyUrl,
  tierProblem,
  userName,
} from "../../domain/proxy-tier.ts";
import { registerSecret } from "../../domain/redact-secrets.ts";
import type { ProxyRoute } from "../../ports/collector.ts";
import type { EgressGuard, OpenTarget } from "../egress/open-socket.ts";
import type { ResponseHead } from "../http/wire.ts";
import { type Exit, openThrough, refuseTarget, UnreachableError } from "./open-through.ts";
import { refusalInResponse, type Refused } from "./refusal.ts";

/** The proxies of one process. */
export interface Proxies {
  /** Whether routes may name it: `residential:us-tx`. */
  has(tier: string): boolean;
  /** Opens tunnels, for the egress proxy of browsers. */
  open(route: ProxyRoute): OpenTarget;
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

interface Member {
  readonly url: ProxyUrl;
  /** Left out until then. */
  outUntil: number;
}

interface Tier {
  readonly config: ProxyTierConfig;
  readonly provider: ProviderName | undefined;
  readonly members: readonly Member[];
  readonly password: string | undefined;
  readonly secureContext: SecureContext | undefined;
}

const OUT_MS = 60_000;
/** Proxies of a list that are tried for one connection. */
const MOST_TRIES = 3;

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

  const open =
    ({ tier, session }: ProxyRoute) =>
    async (...[target, { guard, signal, onSocket }]: Parameters<OpenTarget>): Promise<Socket> => {
      if (guard) await refuseTarget(target.host, guard);
      const problem = tier === DIRECT ? "direct is not a proxy" : tierProblem(config, tier);
      if (problem !== undefined) throw failed(problem);
      const { tier: name, ...place } = parseTierUse(tier)!;
      const { config: own, provider, members, password, secureContext } = tierOf(name);
      const user = userName(own, place, session);
      const login = user === undefined ? {} : { user, ...(password !== undefined && { password }) };
      let last: unknown;
      for (const member of order(members, session)) {
        const exit: Exit = { ...login, ...member.url, provider, secureContext };
        try {
          return await openThrough(exit, target, {
            signal: AbortSignal.any([signal, ended.signal]),
            onSocket,
          });
        } catch (error) {
          if (!(error instanceof UnreachableError)) throw error;
          member.outUntil = performance.now() + OUT_MS;
          last = error;
        }
      }
      throw last;
    };

  return {
    has: (tier) => tierProblem(config, tier) === undefined,
    open,
    connector(route, { allowH2, guard }) {
      const openTunnel = open(route);
      const provider = providerOf(route.tier);
      const { signal } = ended;
      let secure: buildConnector.connector | undefined;
      const connect = async ({ onSocket, ...target }: RoutedTarget): Promise<Socket> => {
        const isSecure = target.protocol === "https:";
        const port = Number(target.port) || (isSecure ? 443 : 80);
        const tunnel = await openTunnel({ host: target.hostname, port }, { guard, signal, onSocket });
        if (!isSecure) return tunnel;
        const { secureContext } = tierOf(parseTierUse(route.tier)!.tier);
        // Judged below, as Node would: only so is the issuer known.
        secure ??= buildConnector({
          allowH2,
          rejectUnauthorized: false,
          ...(secureContext && { secureContext }),
        });
        const { promise, resolve, reject } = Promise.withResolvers<Socket>();
        secure({ ...target, httpSocket: tunnel }, (error, socket) => {
          const distrust = socket ? untrusted(socket as TLSSocket, provider) : error;
          if (!distrust) return resolve(socket!);
          socket?.destroy();
          reject(distrust);
        });
        return await promise;
      };
      const connecting = callbackify(connect);
      return (target, callback) =>
        connecting(target, (error, socket) => (error ? callback(error, null) : callback(null, socket)));
    },
    priceOf: (tier) => priceOf(config, tier),
    refusalIn: ({ tier }, { status, headers }) => refusalInResponse(status, headers, providerOf(tier)),
    close: () => ended.abort(new Error("the proxies were closed")),
  };
};

/** The session's own first, then its neighbours; those that were not reached lately only if there are no others. */
const order = (members: readonly Member[], session: string): Member[] => {
  if (members.length === 1) return [...members];
  const start = hashOf(session) % members.length;
  const turned = [...members.slice(start), ...members.slice(0, start)];
  const now = performance.now();
  const up = turned.filter(({ outUntil }) => outUntil <= now);
  return (up.length > 0 ? up : turned).slice(0, MOST_TRIES);
};

const openTier = (name: string, config: ProxyTierConfig): Tier => {
  const { provider, passwordEnv, passwordFile, ca, file } = config;
  const what = `tier \`${name}\``;
  const password =
    passwordEnv === undefined
      ? passwordFile && textOf(passwordFile, `the password of ${what}`).trim()
      : process.env[passwordEnv];
  if ((passwordEnv ?? passwordFile) !== undefined && !password)
    throw failed(
      `the password of ${what} is missing: ${passwordEnv === undefined ? "its file is empty" : `the environment variable ${passwordEnv} is not set`}`,
    );
  if (password !== undefined) registerSecret(password);
  const lines = file === undefined ? [] : textOf(file, `the proxies of ${what}`).split(/\r?\n/);
  const listed = lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  const texts = file === undefined ? [config.urls ?? config.url ?? PROVIDERS[provider!].url].flat() : listed;
  const members = texts.map((text, index) => {
    const url = parseProxyUrl(text);
    if (!url) throw failed(`the proxies of ${what}: entry ${index + 1} is no URL with scheme, host and port`);
    if (url.password !== undefined) registerSecret(url.password);
    return { url, outUntil: 0 };
  });
  if (members.length === 0) throw failed(`the proxies of ${what}: the file is empty`);
  const secureContext =
    ca === undefined
      ? undefined
      : createSecureContext({ ca: [...getCACertificates("default"), textOf(ca, `the \`ca\` of ${what}`)] });
  return { config, provider, members, password, secureContext };
};

const textOf = (file: string, what: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw failed(`${what} cannot be read (${(error as NodeJS.ErrnoException).code})`, error);
  }
};

/** Whether the provider reads TLS itself, or the site's certificate is wrong. */
const untrusted = (socket: TLSSocket, provider: ProviderName | undefined): Error | undefined => {
  if (socket.authorized) return undefined;
  const code = String(socket.authorizationError);
  if (provider && PROVIDERS[provider].issuer.test(issuersOf(socket)))
    return failed(
      `the provider reads TLS with a certificate of its own (${code}). Set \`ca\` of the tier to its root certificate`,
    );
  return Object.assign(new Error(code), { code });
};

const issuersOf = (socket: TLSSocket): string => {
  const names: string[] = [];
  let certificate = socket.getPeerCertificate(true);
  for (let depth = 0; depth < 5 && certificate?.issuer; depth++) {
    names.push(...Object.values(certificate.issuer).flat().map(String));
    if (certificate.issuerCertificate === certificate) break;
    certificate = certificate.issuerCertificate;
  }
  return names.join(" ");
};

const failed = (detail: string, cause?: unknown): FailureError =>
  new FailureError({ kind: "proxy", detail }, { cause });
