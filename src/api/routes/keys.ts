import { z } from "zod";
import { ROLES, type KeyInfo } from "../../ports/registry.ts";
import { json, problems } from "../answers.ts";
import type { Api, Once } from "../api.ts";
import { says } from "../api-registry.ts";
import { KEY_ID_LENGTH, makeKey } from "../api-key.ts";
import { type RouteContext, shown } from "../route-context.ts";
import { nameDigest } from "../name-digest.ts";
import { Problem } from "../problem.ts";
import { keySchema, keyView, newKeySchema } from "../schemas/client.ts";
import { clientParams, findClient } from "./clients.ts";

const keyParams = clientParams.extend({ key: says("The key's id.", z.string().min(1).max(100)) });

/** Made again, a key has the same id and a new secret: nobody was shown the first. */
const keyId = ({ name }: Once): string => nameDigest(name, KEY_ID_LENGTH);

export const addKeyRoutes = (app: Api, context: RouteContext): void => {
  const { registry } = context.service;

  const findKey = async (client: string, id: string): Promise<KeyInfo> => {
    const card = (await registry.listKeys(client)).find((key) => key.id === id);
    if (!card) throw new Problem("not-found", `${shown(id)}: the client has no such key.`);
    return card;
  };

  app.post(
    "/v1/clients/:client/keys",
    {
      config: { role: "admin", isOnce: true, secrets: ["key"] },
      schema: {
        operationId: "createKey",
        summary: "Make an API key",
        description: "It is shown once: only its hash is kept.",
        tags: ["clients"],
        params: clientParams,
        body: z.strictObject({ role: z.enum(ROLES).default("client") }),
        response: { 201: json("The key.", newKeySchema), ...problems(404, 409, 413, 415, 422) },
      },
    },
    async ({ params, body: { role }, once }, reply) => {
      const { name } = await findClient(context, params.client);
      const { key, card } = makeKey(name, role, context.now(), keyId(once!));
      await registry.saveKey(card);
      return await reply.code(201).send({ ...keyView(card), key });
    },
  );

  app.get(
    "/v1/clients/:client/keys",
    {
      config: { role: "admin" },
      schema: {
        operationId: "listKeys",
        summary: "List a client's keys",
        tags: ["clients"],
        params: clientParams,
        response: { 200: json("Its keys.", z.object({ data: z.array(keySchema) })), ...problems(404) },
      },
    },
    async ({ params }) => {
      const { name } = await findClient(context, params.client);
      return { data: (await registry.listKeys(name)).map(keyView) };
    },
  );

  app.post(
    "/v1/clients/:client/keys/:key/rotate",
    {
      config: { role: "admin", isOnce: true, secrets: ["key"] },
      schema: {
        operationId: "rotateKey",
        summary: "Replace a key",
        description: "The new one has the same role; the old one works on for the time of grace.",
        tags: ["clients"],
        params: keyParams,
        body: z
          .object({
            graceSeconds: z
              .int()
              .min(0)
              .max(30 * 86_400)
              .default(0),
          })
          .default({ graceSeconds: 0 }),
        response: { 201: json("The new key.", newKeySchema), ...problems(404, 409, 413, 415, 422) },
      },
    },
    async ({ params, body, once }, reply) => {
      const old = await findKey(params.client, params.key);
      const now = context.now();
      const id = keyId(once!);
      const isMade = once!.isAgain && (await registry.listKeys(old.client)).some((known) => known.id === id);
      if (!isMade && old.revokedAt !== undefined && old.revokedAt <= now)
        throw new Problem("not-found", `${shown(params.key)}: the key was revoked. Make a new one.`);
      const { key, card } = makeKey(old.client, old.role, now, id);
      await registry.saveKey(card);
      await registry.revokeKey(old.id, now + body.graceSeconds * 1000);
      context.keys.forget();
      return await reply.code(201).send({ ...keyView(card), key });
    },
  );

  app.delete(
    "/v1/clients/:client/keys/:key",
    {
      config: { role: "admin" },
      schema: {
        operationId: "revokeKey",
        summary: "Revoke a key",
        description: "It works no longer than a second on, at every controller.",
        tags: ["clients"],
        params: keyParams,
        response: { 200: json("The key.", keySchema), ...problems(404, 413, 415) },
      },
    },
    async ({ params }) => {
      const card = await findKey(params.client, params.key);
      const now = context.now();
      const isRevoked = card.revokedAt !== undefined && card.revokedAt <= now;
      if (!isRevoked) await registry.revokeKey(card.id, now);
      context.keys.forget();
      return keyView(isRevoked ? card : { ...card, revokedAt: now });
    },
  );
};
