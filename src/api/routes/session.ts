import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { meSchema } from "../../schemas/client.ts";
import { describeActor } from "../../services/clients.ts";
import { Problem } from "../../services/problem.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";
import { cookieHeader, sealSession, SESSION_MS } from "../session.ts";

export const addSessionRoutes = (app: Api, { service, keys, now }: RouteContext): void => {
  /** A proxy in front of the service may speak TLS for it. */
  const isSecure = ({ headers }: FastifyRequest): boolean =>
    service.tls !== undefined || headers["x-forwarded-proto"] === "https";

  app.post(
    "/v1/session",
    {
      schema: {
        operationId: "beginSession",
        summary: "Start a browser session",
        description:
          "Send an API key. The response sets a cookie, which scripts cannot read. It has the same rights for twelve hours. It ends earlier if the key is revoked. Changes that are authorized by the cookie also need the header `x-sluice-session`.",
        tags: ["service"],
        response: { 200: json("The client, its role and its quotas.", meSchema), ...problems(413, 415) },
      },
    },
    async (request, reply) => {
      const key = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
      const known = key === undefined ? undefined : await keys.find(key);
      if (key === undefined || !known)
        throw new Problem("unauthorized", "Send the API key itself: Authorization: Bearer sluice_…");
      if (known.info.role === "worker")
        throw new Problem("forbidden", "This is a worker key. Sign in with a client's key.");
      const cookie = sealSession({ key, expiresAt: now() + SESSION_MS }, known.info);
      void reply.header("set-cookie", cookieHeader(cookie, isSecure(request)));
      return await describeActor(service, request.actor);
    },
  );

  app.delete(
    "/v1/session",
    {
      schema: {
        operationId: "endSession",
        summary: "End a browser session",
        tags: ["service"],
        response: { 200: json("The cookie is removed.", z.object({})), ...problems(413, 415) },
      },
    },
    async (request, reply) => {
      void reply.header("set-cookie", cookieHeader("", isSecure(request)));
      return {};
    },
  );
};
