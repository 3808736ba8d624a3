import type { FastifyRequest } from "fastify";
import type { Registry } from "../ports/registry.ts";
import { type Change, recordChange } from "../services/audit.ts";
import { type Actor, otherClientOf } from "../services/context.ts";
import type { Api } from "./api.ts";
import type { ControllerLog } from "./controller-context.ts";
import { isLoopback } from "./auth.ts";

/** Methods that change nothing. */
const READS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Records every change that needs a role, and every change that an operator makes to another client's data, before it is answered. It applies to all
 * routes, so a new route needs nothing.
 */
export const addAudit = (app: Api, registry: Registry, log: ControllerLog, now: () => number): void => {
  app.decorateRequest("problem", null);
  app.addHook("onSend", async (request, reply) => {
    if (!isAudited(request)) return;
    const outcome = request.problem ?? (reply.statusCode < 400 ? "ok" : String(reply.statusCode));
    try {
      await recordChange({ registry, now }, changeOf(request, outcome));
    } catch (error) {
      // The change is made, and the caller must get its answer.
      log.error("audit failed", { request: request.id, error: String(error) });
    }
  });
};

/** In the audit log. */
export const actorName = ({ key }: Pick<Actor, "key">): string =>
  key === undefined ? "local" : `key:${key}`;

const isAudited = ({ method, routeOptions, is404, actor, problem }: FastifyRequest): boolean => {
  if (READS.has(method) || is404 || !actor || problem === "unauthorized") return false;
  const { role = "client" } = routeOptions.config;
  const needsRole = role === "operator" || role === "admin";
  return (needsRole && problem !== "forbidden") || otherClientOf(actor) !== undefined;
};

const changeOf = (request: FastifyRequest, outcome: string): Change => {
  const { actor, routeOptions, params, query, body } = request;
  const { operationId = routeOptions.url ?? "" } = (routeOptions.schema ?? {}) as { operationId?: string };
  return {
    actor: actorName(actor),
    client: actor.client,
    via: "api",
    action: operationId,
    outcome,
    target: Object.values(params as object).join("/") || nameIn(body),
    detail: {
      of: otherClientOf(actor),
      ...(query as object),
      ...(isPlain(body) && !routeOptions.config.isStreamed ? body : {}),
    },
    from: addressOf(request),
  };
};

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The name of a new thing. */
const nameIn = (body: unknown): string =>
  isPlain(body) && typeof body["name"] === "string" ? body["name"] : "";

/** A proxy on this machine names the caller; the last address is the one that the proxy has seen itself. */
const addressOf = ({ socket, headers }: FastifyRequest): string | undefined => {
  const peer = socket.remoteAddress;
  const said = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .at(-1)!
    .trim()
    .slice(0, 100);
  return peer !== undefined && said !== "" && isLoopback(peer) ? `${said} via ${peer}` : peer;
};
