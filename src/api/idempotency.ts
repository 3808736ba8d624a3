import { createHash, randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { jobId } from "../domain/job.ts";
import type { Registry } from "../ports/registry.ts";
import type { Api } from "./api.ts";
import { Problem } from "./problem.ts";

const KEEP_MS = 24 * 60 * 60 * 1000;
const KEY = /^[\x21-\x7e]{1,200}$/;

/** A name that is kept before it is used cannot be drawn again: long enough that no two of one second are the same. */
const NAME_LETTERS = 8;

/**
 * `Idempotency-Key` on the routes that create: the first request is carried out, the same one again gets the same answer. Begun only after the request
 * has been checked, so that a mistake in it can be corrected under the same key. The name of what is made is drawn before anything is: a controller may die
 * at any moment, and the next try finds what the first has made.
 */
export const addOnce = (app: Api, registry: Registry, now: () => number): void => {
  app.decorateRequest("once", null);

  app.addHook("preHandler", async (request, reply) => {
    const key = request.headers["idempotency-key"];
    if (!request.routeOptions.config.isOnce) return;
    const name = jobId(new Date(now()), randomBytes(NAME_LETTERS));
    if (key === undefined) {
      request.once = { name, isAgain: false };
      return;
    }
    if (typeof key !== "string" || !KEY.test(key))
      throw new Problem(
        "invalid-request",
        "An Idempotency-Key has 1 to 200 visible ASCII characters: a UUID does.",
      );
    const once = await registry.beginOnce({
      client: request.who.client,
      key,
      fingerprint: fingerprintOf(request),
      keepMs: KEEP_MS,
      name,
    });
    if (once.begun) {
      request.once = { key, name: once.name, isAgain: once.name !== name };
      return;
    }
    if ("isOther" in once)
      throw new Problem(
        "once-mismatch",
        "This Idempotency-Key was used for another request. Take a new key.",
      );
    if ("isUnderWay" in once)
      throw new Problem(
        "once-under-way",
        "The first request with this Idempotency-Key is not at its end. Ask again.",
        {
          retryAfterSeconds: 1,
        },
      );
    const { status, body } = once.answer;
    const type = status < 400 ? "application/json" : "application/problem+json";
    return await reply
      .code(status)
      .header("idempotency-replayed", "true")
      .type(`${type}; charset=utf-8`)
      .send(body);
  });

  app.addHook("onSend", async (request, reply, payload) => {
    const { once, who } = request;
    if (once?.key === undefined || typeof payload !== "string") return;
    const { statusCode: status } = reply;
    // What may be otherwise next time is not kept.
    if (status >= 500 || status === 429) return await registry.leaveOnce(who.client, once.key);
    const body = withoutSecrets(payload, request.routeOptions.config.secrets ?? []);
    await registry.endOnce(who.client, once.key, { status, body });
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
