import { z } from "zod";
import { EVENT_TYPES } from "../ports/event-log.ts";
import {
  type Answer,
  described,
  type Filters,
  instant,
  many,
  named,
  pageQuery,
  type Request,
} from "./describe.ts";

export const webhookSchema = named(
  "Webhook",
  z.object({
    id: described("`job` stands for the webhooks that jobs name.", z.string()),
    url: z.string(),
    events: described("Event types it receives; all if absent.", z.array(z.string())).optional(),
    secrets: described("Number of secrets that sign each delivery.", z.int()),
  }),
);
export type Webhook = Answer<typeof webhookSchema>;

export const webhookWithSecretSchema = named(
  "WebhookSecret",
  webhookSchema.extend({
    secret: described(
      "Use it to verify signatures, see the Standard Webhooks specification. Shown only once; absent in a repeated response.",
      z.string(),
    ).optional(),
  }),
);
export type WebhookWithSecret = Answer<typeof webhookWithSecretSchema>;

export const newWebhookSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2000),
  events: z.array(z.enum(EVENT_TYPES)).min(1).optional(),
});
export type NewWebhook = Request<typeof newWebhookSchema>;

export const ownerQuery = z.strictObject({
  client: described("Webhooks of another client; for admins.", z.string().min(1).max(100)).optional(),
});
export type Owner = Request<typeof ownerQuery>;

export const webhookParams = z.object({
  webhook: described("The webhook's id.", z.string().min(1).max(100)),
});

const DELIVERY_STATES = ["due", "delivered", "parked"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One event for one receiver. */
export const deliverySchema = named(
  "Delivery",
  z.object({
    id: described("Also sent in the header `webhook-id`.", z.string()),
    client: z.string(),
    job: z.string().optional(),
    webhook: described("The webhook's id; `job` for one that the job names.", z.string()),
    url: z.string(),
    type: z.string(),
    state: z.enum(DELIVERY_STATES),
    attempts: z.int(),
    createdAt: instant,
    dueAt: described("Time of the next attempt.", instant).optional(),
    lastStatus: z.int().optional(),
    lastError: z.string().optional(),
  }),
);
export type Delivery = Answer<typeof deliverySchema>;

export const deliveryQuery = z.strictObject({
  job: z.string().max(100).optional(),
  state: many(z.enum(DELIVERY_STATES)).optional(),
  client: described("Deliveries of another client; for operators.", z.string().max(100)).optional(),
  ...pageQuery(200, 50),
});
export type DeliveryQuery = Filters<typeof deliveryQuery>;

export const eventQuery = z.strictObject({
  job: z.string().max(100).optional(),
  type: many(z.enum(EVENT_TYPES)).optional(),
  last: described(
    "Start with this many earlier events that match. Only without `Last-Event-ID`.",
    z.coerce.number<number | string>().int().min(0).max(1000),
  ).optional(),
});
export type EventQuery = Request<typeof eventQuery>;
