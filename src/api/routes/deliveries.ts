import { z } from "zod";
import type { Delivery } from "../../ports/registry.ts";
import { json, problems } from "../answers.ts";
import type { Api, Who } from "../api.ts";
import { named, says } from "../api-registry.ts";
import { noteOther } from "../audit.ts";
import { isAtLeast } from "../auth.ts";
import { fromCursor, page, pageOf, pageQuery } from "../cursor.ts";
import { type RouteContext, shown } from "../route-context.ts";
import { isoTime } from "../iso-time.ts";
import { listOf, many } from "../many.ts";
import { Problem } from "../problem.ts";
import { instant } from "../schemas/instant.ts";

const STATES = ["due", "delivered", "parked"] as const;

const deliverySchema = named(
  "Delivery",
  z.object({
    id: says("As in the header `webhook-id`.", z.string()),
    client: z.string(),
    job: z.string().optional(),
    webhook: says("The endpoint's id; `job` for one that the job names itself.", z.string()),
    url: z.string(),
    type: z.string(),
    state: z.enum(STATES),
    attempts: z.int(),
    createdAt: instant,
    dueAt: says("When it is tried next.", instant).optional(),
    lastStatus: z.int().optional(),
    lastError: z.string().optional(),
  }),
);

export const addDeliveryRoutes = (app: Api, context: RouteContext): void => {
  const { registry } = context.service;
  const ownOf = (who: Who) => (isAtLeast(who.role, "operator") ? {} : { client: who.client });

  const findDelivery = async (who: Who, id: string): Promise<Delivery> => {
    const [found] = await registry.listDeliveries({ ...ownOf(who), id, limit: 1 });
    if (!found) throw new Problem("not-found", `${shown(id)}: no such delivery.`);
    noteOther(who, found.client);
    return found;
  };

  app.get(
    "/v1/deliveries",
    {
      schema: {
        operationId: "listDeliveries",
        summary: "List what was sent to webhooks, the newest first",
        tags: ["webhooks"],
        querystring: z.strictObject({
          job: z.string().max(100).optional(),
          state: many(z.enum(STATES)).optional(),
          client: says("Of another client: for operators.", z.string().max(100)).optional(),
          ...pageQuery(200, 50),
        }),
        response: { 200: json("A page of deliveries.", pageOf(deliverySchema)), ...problems() },
      },
    },
    async ({ query, who }) => {
      const { job, client, limit } = query;
      const states = listOf(query.state);
      const after = fromCursor(query.cursor, z.string());
      const deliveries = await registry.listDeliveries({
        limit,
        ...(client !== undefined && { client }),
        ...ownOf(who),
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
        summary: "Send a delivery once more, at once",
        tags: ["webhooks"],
        params: z.object({ delivery: says("Its id.", z.string().min(1).max(200)) }),
        response: { 202: json("It is due.", deliverySchema), ...problems(404, 413, 415) },
      },
    },
    async ({ params, who }, reply) => {
      const { id } = await findDelivery(who, params.delivery);
      await registry.replayDelivery(id);
      return await reply.code(202).send(deliveryView(await findDelivery(who, id)));
    },
  );
};

const deliveryView = (delivery: Delivery): z.infer<typeof deliverySchema> => ({
  id: delivery.id,
  client: delivery.client,
  ...(delivery.job !== undefined && { job: delivery.job }),
  webhook: delivery.endpoint,
  url: delivery.url,
  type: delivery.type,
  state: delivery.state,
  attempts: delivery.attempts,
  createdAt: isoTime(delivery.createdAt),
  ...(delivery.state === "due" && { dueAt: isoTime(delivery.dueAt) }),
  ...(delivery.lastStatus !== undefined && { lastStatus: delivery.lastStatus }),
  ...(delivery.lastError !== undefined && { lastError: delivery.lastError }),
});
