import type { FastifyReply, FastifyRequest } from "fastify";
import { ROLES, type Registry, type Role } from "../ports/registry.ts";
import type { Api, Who } from "./api.ts";
import { KeyCache } from "./key-cache.ts";
import { isLoopback } from "./may-listen.ts";
import { Problem } from "./problem.ts";
import { RequestLimiter, type RequestRoom } from "./request-limiter.ts";
import { Unauthenticated, WRONG_KEY_COST } from "./unauthenticated.ts";

/** Who asks where there are no keys. */
const LOCAL_CLIENT = "local";

/** Puts the keyCache in front of every route that is not for `nobody`. */
export const addAuth = (app: Api, registry: Registry, now: () => number): KeyCache => {
  const keyCache = new KeyCache(registry, now);
  const limiter = new RequestLimiter();
  const unauthenticated = new Unauthenticated(now);
  const nobody: Who = { client: "", role: "client" };
  app.decorateRequest("who", null as unknown as Who);
  app.decorateRequest("isUnlogged", false);

  const identify = async (request: FastifyRequest, reply: FastifyReply): Promise<Who> => {
    const given = request.headers.authorization;
    if (given === undefined && !(await keyCache.hasKeys())) return localWho(request);
    const key = /^Bearer +(\S+)$/i.exec(given ?? "")?.[1];
    if (key === undefined || !keyCache.isKnown(key)) unauthenticated.check(request);
    const known = key === undefined ? undefined : await keyCache.find(key);
    if (!known) {
      unauthenticated.note(request, WRONG_KEY_COST);
      throw new Problem(
        "unauthorized",
        given === undefined
          ? "Send an API key: Authorization: Bearer sluice_…"
          : "The API key is not known, or was revoked. Ask an admin of this installation for another.",
        { headers: { "www-authenticate": "Bearer" } },
      );
    }
    const { card, client } = known;
    // What workers ask, no client has asked for.
    const perMinute = card.role === "worker" ? undefined : client?.requestsPerMinute;
    if (perMinute !== undefined) {
      const room = limiter.take(card.id, perMinute, now());
      void reply.headers(limitHeaders(perMinute, room));
      if (room.isOver)
        throw new Problem("too-many-requests", `This key may make ${perMinute} requests a minute.`, {
          retryAfterSeconds: room.resetSeconds,
        });
    }
    return { client: card.client, role: card.role, key: card.id };
  };

  app.addHook("onRequest", async (request, reply) => {
    const { role = "client" } = request.routeOptions.config;
    if (role === "nobody" || request.is404) {
      // Who asks whether the service is alive always gets an answer: it may be a balancer, before which somebody guesses keys.
      if (request.is404) unauthenticated.check(request);
      unauthenticated.note(request, request.is404 ? 1 : 0);
      request.who = nobody;
      return;
    }
    request.who = await identify(request, reply);
    if (!isAtLeast(request.who.role, role))
      throw new Problem(
        "forbidden",
        `This needs the role ${role}; the key has ${request.who.role}. Ask an admin of this installation for such a key.`,
      );
  });
  return keyCache;
};

/** As the IETF's draft on rate limit headers has them: how many are left, and the seconds until more are. */
const limitHeaders = (perMinute: number, { left, resetSeconds }: RequestRoom) => ({
  "ratelimit-policy": `"key";q=${perMinute};w=60`,
  ratelimit: `"key";r=${left};t=${resetSeconds}`,
});

/** Who is further up may do all that those below may. What is for workers is for admins beside them. */
export const isAtLeast = (has: Role, needs: Role): boolean =>
  needs === "worker" ? has === "worker" || has === "admin" : ROLES.indexOf(has) <= ROLES.indexOf(needs);

/**
 * Without keys this machine may do everything. A web page that is open on it may not: neither one whose name was made to point here, nor one that
 * sends its forms here.
 */
const localWho = (request: FastifyRequest): Who => {
  const { host = "", origin } = request.headers;
  const isHere = isLoopback(request.socket.remoteAddress ?? "") && isLoopback(host.replace(/:\d+$/, ""));
  const isOwn = origin === undefined || URL.parse(origin)?.host === host;
  if (isHere && isOwn) return { client: LOCAL_CLIENT, role: "admin" };
  throw new Problem(
    "forbidden",
    "Without API keys only programs on this machine may ask. Make a key with `sluice clients`.",
  );
};
