import { createHash, randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { jobId } from "../domain/job.ts";
import type { Registry } from "../ports/registry.ts";
import type { Api } from "./api.ts";
import { Problem } from "../services/problem.ts";

const KEEP_MS = 24 * 60 * 60 * 1000;
const KEY = /^[\x21-\x7e]{1,200}$/;

/** A name is stored before it is used and cannot be drawn again, so it is long enough that no two of the same second are equal. */
const NAME_LETTERS = 8;

/**
 * `Idempotency-Key` on the routes that create something: the first request is carried out, and a repeated one gets the same answer. It begins after the
 * request was validated, so that a mistake can be corrected under the same key. The name of the new thing is drawn before anything is created: a controller may
 * die at any moment, and the next try finds what the first one created.
 */
export const addIdempotency = (app: Api, registry: Registry, now: () => number): void => {
  app.decorateRequest("creation", null);

  app.addHook("preHandler", async (request, reply) => {
    const key = request.headers["idempotency-key"];
    if (!request.routeOptions.config.creates) return;
    const name = jobId(new Date(now()), randomBytes(NAME_LETTERS));
    if (key === undefined) {
      request.creation = { name, isAgain: false };
      return;
    }
    if (typeof key !== "string" || !KEY.test(key))
      throw new Problem(
        "invalid-request",
        "An Idempotency-Key must have 1 to 200 visible ASCII characters, for example a UUID.",
      );
    const begun = await registry.beginOnce({
      client: request.actor.client,
      key,
      fingerprint: fingerprintOf(request),
      keepMs: KEEP_MS,
      name,
    });
    if (begun.begun) {
      request.creation = { key, name: begun.name, isAgain: begun.name !== name };
      return;
    }
    if ("isOther" in begun)
      throw new Problem(
        "idempotency-key-reused",
        "This Idempotency-Key was used for a different request. Use a new key.",
      );
    if ("isUnderWay" in begun)
      throw new Problem(
        "idempotent-request-running",
        "The first request with this Idempotency-Key is still in progress. Try again.",
        {
          retryAfterSeconds: 1,
        },
      );
    const { status, body } = begun.answer;
    const type = status < 400 ? "application/json" : "application/problem+json";
    return await reply
      .code(status)
      .header("idempotency-replayed", "true")
      .type(`${type}; charset=utf-8`)
      .send(body);
  });

  app.addHook("onSend", async (request, reply, payload) => {
    const { creation, actor } = request;
    if (creation?.key === undefined || typeof payload !== "string") return;
    const { statusCode: status } = reply;
    // Errors that may not happen again are not kept.
    if (status >= 500 || status === 429) return await registry.leaveOnce(actor.client, creation.key);
    const body = withoutSecrets(payload, request.routeOptions.config.secrets ?? []);
    await registry.endOnce(actor.client, creation.key, { status, body });
  });
};

const fingerprintOf = ({ method, url, body }: FastifyRequest): string =>
  createHash("sha256")
    .update(`${method} ${url}\n${JSON.stringify(body) ?? ""}`)
    .digest("hex");

const withoutSecrets = (payload: string, secrets: readonly string[]): string => {
  if (secrets.length === 0) return payload;
  const answer = JSON.parse(payload) as Record<string, unknown>;
  return JSON.stringify(
    Object.fromEntries(Object.entries(answer).filter(([name]) => !secrets.includes(name))),
  );
};
