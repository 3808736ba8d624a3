import { z } from "zod";
import { EVENT_TYPES } from "../../ports/event-log.ts";
import { type ClientInfo, JOB_ENDPOINT, type WebhookEndpoint } from "../../ports/registry.ts";
import { json, problems } from "../answers.ts";
import type { Api, Who } from "../api.ts";
import { named, says } from "../api-registry.ts";
import { noteOther } from "../audit.ts";
import { isAtLeast } from "../auth.ts";
import { type RouteContext, shown } from "../route-context.ts";
import { nameDigest } from "../name-digest.ts";
import { Problem } from "../problem.ts";
import { checkWebhook } from "../start-job.ts";
import { newSecret, rotated } from "../webhooks/webhook-secrets.ts";

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
export const addWebhookRoutes = (app: Api, context: RouteContext): void => {
  const { registry } = context.service;

  const findOwner = async (who: Who, asked: string | undefined): Promise<ClientInfo> => {
    const name = isAtLeast(who.role, "admin") ? (asked ?? who.client) : who.client;
    noteOther(who, name);
    const card = await registry.readClient(name);
    if (card) return card;
    if (asked !== undefined) throw new Problem("not-found", `${shown(name)}: no such client.`);
    return { name, weight: 1, webhooks: [], createdAt: context.now() };
  };

  /** In one step: another request may be changing the client too. */
  const change = async (
    owner: ClientInfo,
    changed: (card: ClientInfo) => ClientInfo | undefined,
  ): Promise<ClientInfo> =>
    (await registry.changeClient(owner.name, (card) => changed(card ?? owner))) ?? owner;

  const findEndpoint = (webhooks: readonly WebhookEndpoint[], id: string): WebhookEndpoint => {
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
    async ({ query, body, who, once }, reply) => {
      const owner = await findOwner(who, query.client);
      await checkWebhook(context.service, body.url);
      const secret = newSecret();
      const endpoint: WebhookEndpoint = {
        // Made again, it has the same id and a new secret: nobody was shown the first.
        id: `wh_${nameDigest(once!.name, 12)}`,
        url: body.url,
        secrets: [secret],
        ...(body.events && { events: body.events }),
      };
      const { webhooks } = await change(owner, (card) => {
        const others = card.webhooks.filter(({ id }) => id !== endpoint.id);
        return others.length < MOST_ENDPOINTS ? { ...card, webhooks: [...others, endpoint] } : undefined;
      });
      if (!webhooks.includes(endpoint))
        throw new Problem("forbidden", `A client has at most ${MOST_ENDPOINTS} webhooks. Remove one first.`);
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
    async ({ params, query, who, once }, reply) => {
      const owner = await findOwner(who, query.client);
      const secret = newSecret();
      const { name } = once!;
      if (params.webhook === JOB_ENDPOINT) {
        const { secrets = [] } = await change(owner, (card) => ({ ...card, ...rotated(card, secret, name) }));
        return await reply
          .code(201)
          .send({ ...endpointView({ id: JOB_ENDPOINT, url: "", secrets }), secret });
      }
      const { webhooks } = await change(owner, (card) => ({
        ...card,
        webhooks: card.webhooks.map((one) =>
          one.id === params.webhook ? { ...one, ...rotated(one, secret, name) } : one,
        ),
      }));
      const endpoint = findEndpoint(webhooks, params.webhook);
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
      const endpoint = findEndpoint(owner.webhooks, params.webhook);
      await change(owner, (card) => ({
        ...card,
        webhooks: card.webhooks.filter(({ id }) => id !== endpoint.id),
      }));
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
