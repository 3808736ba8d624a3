import { z } from "zod";
import { described, pageOf } from "../../schemas/describe.ts";
import {
  deliveryQuery,
  deliverySchema,
  newWebhookSchema,
  ownerQuery,
  webhookParams,
  webhookSchema,
  webhookWithSecretSchema,
} from "../../schemas/webhook.ts";
import {
  createWebhook,
  deliveryScope,
  deliveryView,
  listWebhooks,
  removeWebhook,
  replayDelivery,
  rotateWebhook,
  testWebhook,
} from "../../services/webhooks.ts";
import { fromCursor, json, listOf, page, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

export const addWebhookRoutes = (app: Api, { service }: RouteContext): void => {
  app.post(
    "/v1/webhooks",
    {
      config: { creates: true, secrets: ["secret"] },
      schema: {
        operationId: "createWebhook",
        summary: "Create a webhook",
        description: "It receives the events of all jobs of the client.",
        tags: ["webhooks"],
        querystring: ownerQuery,
        body: newWebhookSchema,
        response: {
          201: json("The webhook, with its secret.", webhookWithSecretSchema),
          ...problems(404, 409, 413, 415, 422),
        },
      },
    },
    async ({ query: { client }, body, actor, creation }, reply) =>
      await reply.code(201).send(await createWebhook(service, actor, body, { client, creation: creation! })),
  );

  app.get(
    "/v1/webhooks",
    {
      schema: {
        operationId: "listWebhooks",
        summary: "List the webhooks of a client",
        tags: ["webhooks"],
        querystring: ownerQuery,
        response: {
          200: json("The webhooks.", z.object({ data: z.array(webhookSchema) })),
          ...problems(404),
        },
      },
    },
    async ({ query: { client }, actor }) => ({ data: await listWebhooks(service, actor, client) }),
  );

  app.post(
    "/v1/webhooks/:webhook/rotate",
    {
      config: { creates: true, secrets: ["secret"] },
      schema: {
        operationId: "rotateWebhook",
        summary: "Rotate the secret of a webhook",
        description:
          "Deliveries are signed with the new and the previous secret. The id `job` stands for the webhooks that jobs name.",
        tags: ["webhooks"],
        params: webhookParams,
        querystring: ownerQuery,
        response: {
          201: json("The webhook, with its new secret.", webhookWithSecretSchema),
          ...problems(404, 409, 413, 415, 422),
        },
      },
    },
    async ({ params, query: { client }, actor, creation }, reply) =>
      await reply
        .code(201)
        .send(await rotateWebhook(service, actor, params.webhook, { client, creation: creation! })),
  );

  app.post(
    "/v1/webhooks/:webhook/test",
    {
      config: { creates: true },
      schema: {
        operationId: "testWebhook",
        summary: "Send a test event to a webhook",
        description: "An event of type `webhook.test`, signed and retried like any other.",
        tags: ["webhooks"],
        params: webhookParams,
        querystring: ownerQuery,
        response: { 202: json("The delivery is due.", deliverySchema), ...problems(404, 409, 413, 415, 422) },
      },
    },
    async ({ params, query: { client }, actor, creation }, reply) =>
      await reply
        .code(202)
        .send(await testWebhook(service, actor, params.webhook, { client, creation: creation! })),
  );

  app.delete(
    "/v1/webhooks/:webhook",
    {
      schema: {
        operationId: "removeWebhook",
        summary: "Remove a webhook",
        tags: ["webhooks"],
        params: webhookParams,
        querystring: ownerQuery,
        response: { 200: json("The removed webhook.", webhookSchema), ...problems(404, 413, 415) },
      },
    },
    async ({ params, query, actor }) => await removeWebhook(service, actor, params.webhook, query.client),
  );

  app.get(
    "/v1/deliveries",
    {
      schema: {
        operationId: "listDeliveries",
        summary: "List webhook deliveries",
        description: "Newest first.",
        tags: ["webhooks"],
        querystring: deliveryQuery,
        response: { 200: json("A page of deliveries.", pageOf(deliverySchema)), ...problems() },
      },
    },
    async ({ query, actor }) => {
      const { job, client, limit } = query;
      const states = listOf(query.state);
      const after = fromCursor(query.cursor, z.string());
      const deliveries = await service.registry.listDeliveries({
        limit,
        ...(client !== undefined && { client }),
        ...deliveryScope(actor),
        ...(job !== undefined && { job }),
        ...(states && { states }),
        ...(after !== undefined && { after }),
      });
      const last = deliveries.length < limit ? undefined : deliveries.at(-1)?.id;
      return page(deliveries.map(deliveryView), last);
    },
  );

  app.post(
    "/v1/deliveries/:delivery/replay",
    {
      schema: {
        operationId: "replayDelivery",
        summary: "Replay a delivery",
        description: "Sends it again now.",
        tags: ["webhooks"],
        params: z.object({ delivery: described("The delivery's id.", z.string().min(1).max(200)) }),
        response: { 202: json("The delivery is due.", deliverySchema), ...problems(404, 413, 415) },
      },
    },
    async ({ params, actor }, reply) =>
      await reply.code(202).send(await replayDelivery(service, actor, params.delivery)),
  );
};
