import { z } from "zod";
import { ROLES } from "../../ports/registry.ts";
import {
  clientChangeSchema,
  clientParams,
  clientSchema,
  createdClientSchema,
  createdKeySchema,
  keyParams,
  keySchema,
  newClientSchema,
} from "../../schemas/client.ts";
import {
  changeClient,
  createClient,
  createKey,
  listClients,
  listKeys,
  revokeKey,
  rotateKey,
  showClient,
} from "../../services/clients.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

const LONGEST_GRACE_SECONDS = 30 * 86_400;
const graceSeconds = z.int().min(0).max(LONGEST_GRACE_SECONDS).default(0);

export const addClientRoutes = (app: Api, { service, keys }: RouteContext): void => {
  app.post(
    "/v1/clients",
    {
      config: { role: "admin", creates: true, secrets: ["webhookSecret"] },
      schema: {
        operationId: "createClient",
        summary: "Create a client",
        description: "The response has a secret that signs events for webhooks that the client's jobs name.",
        tags: ["clients"],
        body: newClientSchema,
        response: {
          201: json("The client, with its secret.", createdClientSchema),
          ...problems(409, 413, 415, 422),
        },
      },
    },
    async ({ body, creation }, reply) => {
      const created = await createClient(service, body, creation!);
      keys.forget();
      return await reply.code(201).send(created);
    },
  );

  app.get(
    "/v1/clients",
    {
      config: { role: "admin" },
      schema: {
        operationId: "listClients",
        summary: "List clients",
        tags: ["clients"],
        response: { 200: json("All clients.", z.object({ data: z.array(clientSchema) })), ...problems() },
      },
    },
    async () => ({ data: await listClients(service) }),
  );

  app.get(
    "/v1/clients/:client",
    {
      config: { role: "admin" },
      schema: {
        operationId: "getClient",
        summary: "Get a client",
        tags: ["clients"],
        params: clientParams,
        response: { 200: json("The client.", clientSchema), ...problems(404) },
      },
    },
    async ({ params }) => await showClient(service, params.client),
  );

  app.patch(
    "/v1/clients/:client",
    {
      config: { role: "admin" },
      schema: {
        operationId: "changeClient",
        summary: "Change the weight and quotas of a client",
        tags: ["clients"],
        params: clientParams,
        body: clientChangeSchema,
        response: { 200: json("The client.", clientSchema), ...problems(404, 413, 415) },
      },
    },
    async ({ params, body }) => {
      const changed = await changeClient(service, params.client, body);
      keys.forget();
      return changed;
    },
  );

  app.post(
    "/v1/clients/:client/keys",
    {
      config: { role: "admin", creates: true, secrets: ["key"] },
      schema: {
        operationId: "createKey",
        summary: "Create an API key",
        description: "The key is shown only once; the service stores its hash.",
        tags: ["clients"],
        params: clientParams,
        body: z.strictObject({ role: z.enum(ROLES).default("client") }),
        response: { 201: json("The key.", createdKeySchema), ...problems(404, 409, 413, 415, 422) },
      },
    },
    async ({ params, body, creation }, reply) =>
      await reply.code(201).send(await createKey(service, params.client, body.role, creation!)),
  );

  app.get(
    "/v1/clients/:client/keys",
    {
      config: { role: "admin" },
      schema: {
        operationId: "listKeys",
        summary: "List the keys of a client",
        tags: ["clients"],
        params: clientParams,
        response: { 200: json("The keys.", z.object({ data: z.array(keySchema) })), ...problems(404) },
      },
    },
    async ({ params }) => ({ data: await listKeys(service, params.client) }),
  );

  app.post(
    "/v1/clients/:client/keys/:key/rotate",
    {
      config: { role: "admin", creates: true, secrets: ["key"] },
      schema: {
        operationId: "rotateKey",
        summary: "Rotate an API key",
        description: "The new key has the same role. The old key works until the grace period ends.",
        tags: ["clients"],
        params: keyParams,
        body: z.object({ graceSeconds }).default({ graceSeconds: 0 }),
        response: { 201: json("The new key.", createdKeySchema), ...problems(404, 409, 413, 415, 422) },
      },
    },
    async ({ params, body, creation }, reply) => {
      const created = await rotateKey(service, params.client, params.key, { ...body, creation: creation! });
      keys.forget();
      return await reply.code(201).send(created);
    },
  );

  app.delete(
    "/v1/clients/:client/keys/:key",
    {
      config: { role: "admin" },
      schema: {
        operationId: "revokeKey",
        summary: "Revoke an API key",
        description: "Revoking a key takes effect within half a second, on every controller.",
        tags: ["clients"],
        params: keyParams,
        response: { 200: json("The key.", keySchema), ...problems(404, 413, 415) },
      },
    },
    async ({ params }) => {
      const revoked = await revokeKey(service, params.client, params.key);
      keys.forget();
      return revoked;
    },
  );
};
