import { BlockList, isIPv6 } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { LOCAL_CLIENT } from "../domain/client.ts";
import type { Registry } from "../ports/registry.ts";
import { type Actor, isAtLeast } from "../services/context.ts";
import { Problem } from "../services/problem.ts";
import type { Api } from "./api.ts";
import { KeyCache } from "./key-cache.ts";
import { cookieOf, refuseForeign, SessionCache } from "./session.ts";

/** Checks the key, or a browser's session, and the role on every route that is not for `nobody`. */
export const addAuth = (app: Api, registry: Registry, now: () => number): KeyCache => {
  const keyCache = new KeyCache(registry, now);
  const sessions = new SessionCache((client) => registry.listKeys(client), now);
  const limiter = new RequestLimiter();
  const unauthenticated = new Unauthenticated(now);
  const nobody: Actor = { client: "", role: "client" };
  app.decorateRequest("actor", null as unknown as Actor);
  app.decorateRequest("isUnlogged", false);

  const identify = async (request: FastifyRequest, reply: FastifyReply): Promise<Actor> => {
    const given = request.headers.authorization;
    if (given === undefined && !(await keyCache.hasKeys())) return localActor(request);
    const cookie = given === undefined ? cookieOf(request) : undefined;
    if (cookie !== undefined) {
      refuseForeign(request);
      if (!sessions.isKnown(cookie)) unauthenticated.check(request);
    }
    const key =
      cookie === undefined ? /^Bearer +(\S+)$/i.exec(given ?? "")?.[1] : (await sessions.open(cookie))?.key;
    if (key === undefined || !keyCache.isKnown(key)) unauthenticated.check(request);
    const known = key === undefined ? undefined : await keyCache.find(key);
    if (!known) {
      unauthenticated.note(request, WRONG_KEY_COST);
      throw new Problem(
        "unauthorized",
        cookie !== undefined
          ? "The session is over, or its API key was revoked. Sign in again."
          : given === undefined
            ? "Send an API key: Authorization: Bearer sluice_…"
            : "The API key is unknown or was revoked. Ask an admin of this installation for a new one.",
        { headers: { "www-authenticate": "Bearer" } },
      );
    }
    const { info, client } = known;
    // No client asked for the requests of workers.
    const perMinute = info.role === "worker" ? undefined : client?.requestsPerMinute;
    if (perMinute !== undefined) {
      const room = limiter.take(info.id, perMinute, now());
      void reply.headers(limitHeaders(perMinute, room));
      if (room.isOver)
        throw new Problem("too-many-requests", `This key is limited to ${perMinute} requests per minute.`, {
          retryAfterSeconds: room.resetSeconds,
        });
    }
    return { client: info.client, role: info.role, key: info.id };
  };

  app.addHook("onRequest", async (request, reply) => {
    const { role = "client", orRole } = request.routeOptions.config;
    if (role === "nobody" || request.is404) {
      // Health checks are always answered: they may come from a load balancer through which somebody guesses keys.
      if (request.is404) unauthenticated.check(request);
      unauthenticated.note(request, request.is404 ? 1 : 0);
      request.actor = nobody;
      return;
    }
    request.actor = await identify(request, reply);
    if (!isAtLeast(request.actor.role, role) && request.actor.role !== orRole)
      throw new Problem(
        "forbidden",
        `This needs the role ${role}; the key has the role ${request.actor.role}. Ask an admin of this installation for such a key.`,
      );
  });
  return keyCache;
};

/** As in the IETF draft on rate limit headers: requests left, and seconds until there are more. */
const limitHeaders = (perMinute: number, { left, resetSeconds }: RequestRoom) => ({
  "ratelimit-policy": `"key";q=${perMinute};w=60`,
  ratelimit: `"key";r=${left};t=${resetSeconds}`,
});

/**
 * Without keys, programs on this machine may do everything. Web pages open in a browser here may not: neither one whose host name was pointed at this
 * machine (DNS rebinding), nor one that sends forms to it.
 */
const localActor = (request: FastifyRequest): Actor => {
  const { host = "", origin } = request.headers;
  const isHere = isLoopback(request.socket.remoteAddress ?? "") && isLoopback(host.replace(/:\d+$/, ""));
  const isOwn = origin === undefined || URL.parse(origin)?.host === host;
  if (isHere && isOwn) return { client: LOCAL_CLIENT, role: "admin" };
  throw new Problem(
    "forbidden",
    "Without API keys, only programs on this machine have access. Create a key with `sluice clients key`.",
  );
};

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** An address or host name to listen on, or from a `Host` header without its port. */
export const isLoopback = (host: string): boolean => {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (bare === "localhost" || bare.endsWith(".localhost")) return true;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1];
  return LOOPBACK.check(mapped ?? bare, mapped === undefined && isIPv6(bare) ? "ipv6" : "ipv4");
};

/** Without keys, everybody who can connect may do everything, so only this machine may connect. */
export const mayListen = (host: string, hasKeys: boolean): boolean => hasKeys || isLoopback(host);

export interface RequestRoom {
  /** Requests that may follow immediately. */
  readonly left: number;
  /** Until the next request is allowed if none is left, otherwise until all are available again. */
  readonly resetSeconds: number;
  /** This request exceeds the limit. */
  readonly isOver: boolean;
}

/** Unauthenticated callers choose names too: above this number, full buckets are forgotten. */
const MOST_BUCKETS = 10_000;

interface Bucket {
  level: number;
  at: number;
}

/** Requests per minute for each key or address, as a token bucket. Each controller counts for itself. */
export class RequestLimiter {
  readonly #buckets = new Map<string, Bucket>();

  /** `cost` counts in requests; 0 only checks whether there is room. */
  take(key: string, perMinute: number, nowMs: number, cost = 1): RequestRoom {
    const bucket = this.#buckets.get(key) ?? { level: perMinute, at: nowMs };
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MOST_BUCKETS) this.#forget(nowMs);
    const perMs = perMinute / 60_000;
    bucket.level = Math.min(perMinute, bucket.level + Math.max(0, nowMs - bucket.at) * perMs);
    bucket.at = nowMs;
    const secondsTo = (level: number) => Math.max(1, Math.ceil((level - bucket.level) / perMs / 1000));
    if (bucket.level < 1) return { left: 0, resetSeconds: secondsTo(1), isOver: true };
    bucket.level -= cost;
    const left = Math.max(0, Math.floor(bucket.level));
    return { left, resetSeconds: secondsTo(left === 0 ? 1 : perMinute), isOver: false };
  }

  /** Every bucket is full after a minute. */
  #forget(nowMs: number): void {
    for (const [key, { at }] of this.#buckets) if (nowMs - at >= 60_000) this.#buckets.delete(key);
    for (const key of this.#buckets.keys()) {
      if (this.#buckets.size <= MOST_BUCKETS) return;
      this.#buckets.delete(key);
    }
  }
}

/** Requests per minute and address for paths that do not exist. */
const PER_ADDRESS = 12_000;
/** A request with a wrong key, or without one, costs this many. */
export const WRONG_KEY_COST = 10;
/** Log lines per minute about unauthenticated requests, over all addresses. */
const LOGGED = 600;

/**
 * Limits guesses of keys and paths, by address, before anything is looked up. A key that was used here before always passes: others behind the same proxy
 * keep working while one of them guesses keys.
 */
export class Unauthenticated {
  readonly #limiter = new RequestLimiter();
  readonly #log = new RequestLimiter();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  check(request: FastifyRequest): void {
    const room = this.#limiter.take(addressOf(request), PER_ADDRESS, this.#now(), 0);
    if (!room.isOver) return;
    request.isUnlogged = true;
    throw new Problem(
      "too-many-requests",
      "Too many requests without a valid API key from this address. Wait, then send a valid key.",
      { retryAfterSeconds: room.resetSeconds },
    );
  }

  note(request: FastifyRequest, cost: number): void {
    this.#limiter.take(addressOf(request), PER_ADDRESS, this.#now(), cost);
    request.isUnlogged = this.#log.take("", LOGGED, this.#now()).isOver;
  }
}

/** The network for IPv6: one machine can have any number of addresses. */
const addressOf = ({ socket }: FastifyRequest): string => {
  const address = socket.remoteAddress ?? "";
  return address.includes(".") ? address : address.split(":").slice(0, 4).join(":");
};
