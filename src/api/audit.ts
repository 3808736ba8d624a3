import type { FastifyRequest } from "fastify";
import { type AuditEntry, auditDetail } from "../domain/audit.ts";
import type { Registry } from "../ports/registry.ts";
import type { Api, Who } from "./api.ts";
import type { ControllerLog } from "./service-context.ts";
import { isLoopback } from "./may-listen.ts";

/** Requests that only look. */
const LOOKS = new Set(["GET", "HEAD", "OPTIONS"]);
/** Of those under way, whose things they act on where those are another client's. */
const others = new WeakMap<Who, string>();

/** An operator acts on what another client has: said by whoever found it. */
export const noteOther = (who: Who, client: string): void => {
  if (client !== who.client) others.set(who, client);
};

/**
 * Writes down every change that needs a role, and every one that an operator makes to what other clients have, before it is answered. It hangs on
 * all routes: one that is added is written down without a word of its own.
 */
export const addAudit = (app: Api, registry: Registry, log: ControllerLog, now: () => number): void => {
  app.decorateRequest("problem", null);
  app.addHook("onSend", async (request, reply) => {
    if (!isAudited(request)) return;
    const outcome = request.problem ?? (reply.statusCode < 400 ? "ok" : String(reply.statusCode));
    try {
      await registry.addAudit(entryOf(request, outcome, now()));
    } catch (error) {
      // It is done, and its caller must hear that.
      log.error("audit failed", { request: request.id, error: String(error) });
    }
  });
};

const isAudited = ({ method, routeOptions, is404, who, problem }: FastifyRequest): boolean => {
  if (LOOKS.has(method) || is404 || !who || problem === "unauthorized") return false;
  const { role = "client" } = routeOptions.config;
  const needsRole = role === "operator" || role === "admin";
  return (needsRole && problem !== "forbidden") || others.has(who);
};

const entryOf = (request: FastifyRequest, outcome: string, at: number): AuditEntry => {
  const { who, routeOptions, params, query, body } = request;
  const { operationId = routeOptions.url ?? "" } = (routeOptions.schema ?? {}) as { operationId?: string };
  const target = Object.values(params as object).join("/") || nameIn(body);
  const detail = auditDetail({
    of: others.get(who),
    ...(query as object),
    ...(isPlain(body) && !routeOptions.config.isStreamed ? body : {}),
  });
  const from = addressOf(request);
  return {
    at,
    actor: who.key === undefined ? "local" : `key:${who.key}`,
    client: who.client,
    via: "api",
    action: operationId,
    outcome,
    ...(target !== "" && { target }),
    ...(detail !== undefined && { detail }),
    ...(from !== undefined && { from }),
  };
};

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Of what is made. */
const nameIn = (body: unknown): string =>
  isPlain(body) && typeof body["name"] === "string" ? body["name"] : "";

/** A proxy on this machine says for whom it asks; the last address is the one that it has seen itself. */
const addressOf = ({ socket, headers }: FastifyRequest): string | undefined => {
  const peer = socket.remoteAddress;
  const said = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .at(-1)!
    .trim()
    .slice(0, 100);
  return peer !== undefined && said !== "" && isLoopback(peer) ? `${said} via ${peer}` : peer;
};
