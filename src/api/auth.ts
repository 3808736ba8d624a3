import type { FastifyReply, FastifyRequest } from "fastify";
import type { Registry } from "../ports/registry.ts";
import { LOCAL_CLIENT } from "../domain/client.ts";
import { type Actor, isAtLeast } from "../services/context.ts";
import type { Api } from "./api.ts";
import { KeyCache } from "./key-cache.ts";
import { isLoopback } from "./may-listen.ts";
import { Problem } from "../services/problem.ts";
import { RequestLimiter, type RequestRoom } from "./request-limiter.ts";
import { Unauthenticated, WRONG_KEY_COST } from "./unauthenticated.ts";

/** Checks the key and the role on every route that is not for `nobody`. */
export const addAuth = (app: Api, registry: Registry, now: () => number): KeyCache => {
  const keyCache = new KeyCache(registry, now);
  const limiter = new RequestLimiter();
  const unauthenticated = new Unauthenticated(now);
  const nobody: Actor = { client: "", role: "client" };
  app.decorateRequest("actor", null as unknown as Actor);
  app.decorateRequest("isUnlogged", false);

  const identify = async (request: FastifyRequest, reply: FastifyReply): Promise<Actor> => {
    const given = request.headers.authorization;
    if (given === undefined && !(await keyCache.hasKeys())) return localActor(request);
    const key = /^Bearer +(\S+)$/i.exec(given ?? "")?.[1];
    if (key === undefined || !keyCache.isKnown(key)) unauthenticated.check(request);
    const known = key === undefined ? undefined : await keyCache.find(key);
    if (!known) {
      unauthenticated.note(request, WRONG_KEY_COST);
      throw new Problem(
        "unauthorized",
        given === undefined
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
    const { role = "client" } = request.routeOptions.config;
    if (role === "nobody" || request.is404) {
      // Health checks are always answered: they may come from a load balancer through which somebody guesses keys.
      if (request.is404) unauthenticated.check(request);
      unauthenticated.note(request, request.is404 ? 1 : 0);
      request.actor = nobody;
      return;
    }
    request.actor = await identify(request, reply);
    if (!isAtLeast(request.actor.role, role))
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
