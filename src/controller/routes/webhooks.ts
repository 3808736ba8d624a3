import { randomBytes } from "node:crypto";
import { z } from "zod";
import { type ClientCard, JOB_ENDPOINT, type WebhookEndpoint } from "../../ports/registry.ts";
import { json, problems } from "../answers.ts";
import type { Api, Who } from "../api.ts";
import { named, says } from "../api-registry.ts";
import { isAtLeast } from "../auth.ts";
import { type Desk, shown } from "../desk.ts";
import { Problem } from "../problem.ts";
import { checkWebhook } from "../start-job.ts";

export const EVENT_TYPES = [
  "job.started",
  "job.progress",
  "job.completed",
  "job.paused",
  "job.resumed",
  "job.cancelled",
  "item.failed",
  "batch.completed",
  "lane.held",
  "lane.released",
] as const;

const endpointSchema = named(
  "Webhook",
  z.object({
    id: z.string(),
    url: z.string(),
    events: says("Types of events that it is told; all when left out.", z.array(z.string())).optional(),
    secrets: says("With how many secrets what is sent is signed.", z.int()),
  }),
);

const secretSchema = named(
  "WebhookSecret",
  endpointSchema.extend({
    secret: says(
      "To check signatures with, by the Standard Webhooks specification. Shown this once; left out when the answer is repeated.",
      z.string(),
    ).optional(),
  }),
);

const ownerQuery = z.strictObject({
  client: says("Of another client: for admins.", z.string().min(1).max(100)).optional(),
});
const endpointParams = z.object({ webhook: says("Its id.", z.string().min(1).max(100)) });

const MOST_ENDPOINTS = 20;
/** Receivers that have the secret before last must have taken over the last. */
const KEPT_SECRETS = 2;

export const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

export const addWebhookRoutes = (app: Api, desk: Desk): void => {
  const { registry } = desk.house;

  const findOwner = async (who: Who, asked: string | undefined): Promise<ClientCard> => {
    const name = isAtLeast(who.role, "admin") ? (asked ?? who.client) : who.client;
    const card = await registry.readClient(name);
    if (card) return card;
    if (asked !== undefined) throw new Problem("not-found", `${shown(name)}: no such client.`);
    return { name, weight: 1, webhooks: [], createdAt: desk.now() };
  };

  const findEndpoint = ({ webhooks }: ClientCard, id: string): WebhookEndpoint => {
    const found = webhooks.find((endpoint) => endpoint.id === id);
    if (!found) throw new Problem("not-found", `${shown(id)}: the client has no such webhook.`);
    return found;
  };

  app.post(
    "/v1/webhooks",
    {
      config: { isOnce: true, secrets: ["secret"] },
      schema: {
        operationId: "createWebhook",
        summary: "Have a client's events sent to a URL",
        tags: ["webhooks"],
        querystring: ownerQuery,
        body: z.strictObject({
          url: z.url({ protocol: /^https?$/ }).max(2000),
          events: z.array(z.enum(EVENT_TYPES)).min(1).optional(),
        }),
        response: {
          201: json("The endpoint, with its secret.", secretSchema),
          ...problems(404, 409, 413, 415, 422),
        },
      },
    },
    async ({ query, body, who }, reply) => {
      const owner = await findOwner(who, query.client);
      await checkWebhook(desk.house, body.url);
      if (owner.webhooks.length >= MOST_ENDPOINTS)
        throw new Problem("forbidden", `A client has at most ${MOST_ENDPOINTS} webhooks. Remove one first.`);
      const secret = newSecret();
      const endpoint: WebhookEndpoint = {
        id: `wh_${randomBytes(6).toString("hex")}`,
        url: body.url,
        secrets: [secret],
        ...(body.events && { events: body.events }),
      };
      await registry.saveClient({ ...owner, webhooks: [...owner.webhooks, endpoint] });
      return await reply.code(201).send({ ...endpointView(endpoint), secret });
    },
  );

  app.get(
    "/v1/webhooks",
    {
      schema: {
        operationId: "listWebhooks",
        summary: "List a client's webhooks",
        tags: ["webhooks"],
        querystring: ownerQuery,
        response: {
          200: json("Its endpoints.", z.object({ data: z.array(endpointSchema) })),
          ...problems(404),
        },
      },
    },
    async ({ query, who }) => ({
      data: (await findOwner(who, query.client)).webhooks.map(endpointView),
    }),
  );

  app.post(
    "/v1/webhooks/:webhook/rotate",
    {
      config: { isOnce: true, secrets: ["secret"] },
      schema: {
        operationId: "rotateWebhook",
        summary: "Give a webhook a new secret",
        description:
          "What is sent is signed with the new and the last one. The id `job` stands for the webhooks that jobs name themselves.",
        tags: ["webhooks"],
        params: endpointParams,
        querystring: ownerQuery,
        response: {
          201: json("The endpoint, with its new secret.", secretSchema),
          ...problems(404, 409, 413, 415, 422),
        },
      },
    },
    async ({ params, query, who }, reply) => {
      const owner = await findOwner(who, query.client);
      const secret = newSecret();
      const rotated = (secrets: readonly string[] = []) => [secret, ...secrets].slice(0, KEPT_SECRETS);
      if (params.webhook === JOB_ENDPOINT) {
        const secrets = rotated(owner.secrets);
        await registry.saveClient({ ...owner, secrets });
        return await reply
          .code(201)
          .send({ ...endpointView({ id: JOB_ENDPOINT, url: "", secrets }), secret });
      }
      const old = findEndpoint(owner, params.webhook);
      const endpoint = { ...old, secrets: rotated(old.secrets) };
      const webhooks = owner.webhooks.map((one) => (one.id === endpoint.id ? endpoint : one));
      await registry.saveClient({ ...owner, webhooks });
      return await reply.code(201).send({ ...endpointView(endpoint), secret });
    },
  );

  app.delete(
    "/v1/webhooks/:webhook",
    {
      schema: {
        operationId: "removeWebhook",
        summary: "Send nothing more to a webhook",
        tags: ["webhooks"],
        params: endpointParams,
        querystring: ownerQuery,
        response: { 200: json("The endpoint that was removed.", endpointSchema), ...problems(404, 413, 415) },
      },
    },
    async ({ params, query, who }) => {
      const owner = await findOwner(who, query.client);
      const endpoint = findEndpoint(owner, params.webhook);
      await registry.saveClient({ ...owner, webhooks: owner.webhooks.filter((one) => one !== endpoint) });
      return endpointView(endpoint);
    },
  );
};

const endpointView = ({ id, url, events, secrets }: WebhookEndpoint): z.infer<typeof endpointSchema> => ({
  id,
  url,
  ...(events && { events: [...events] }),
  secrets: secrets.length,
});
