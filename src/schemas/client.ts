import { z } from "zod";
import { CLIENT_NAME } from "../domain/client.ts";
import { ROLES } from "../ports/registry.ts";
import { type Answer, count, described, instant, named, numberIn, type Request } from "./describe.ts";

const spentSchema = z.object({ requests: count, bytes: count, cost: z.number() });

const shareSchema = {
  weight: described(
    "The client's share of lanes and workers, relative to other clients.",
    numberIn("weight"),
  ),
  itemsPerDay: described(
    "Items that the client's jobs may accept per day (UTC), including items found on pages; null for no limit.",
    numberIn("itemsPerDay").nullable(),
  ),
  requestsPerDay: described(
    "Requests to sites that the client's jobs may make per day (UTC); null for no limit.",
    numberIn("requestsPerDay").nullable(),
  ),
  bytesPerDay: described(
    "Bytes that the client's jobs may fetch per day (UTC); null for no limit.",
    numberIn("bytesPerDay").nullable(),
  ),
  costPerDay: described(
    "What the client's jobs may spend on proxies per day (UTC), in the configured currency; null for no limit.",
    numberIn("costPerDay").nullable(),
  ),
  maxRunning: described(
    "Items that may run at the same time; null for no limit.",
    numberIn("maxRunning").nullable(),
  ),
  requestsPerMinute: described(
    "API requests per minute for each key; null for no limit.",
    numberIn("requestsPerMinute").nullable(),
  ),
  maxOpenJobs: described(
    "Jobs that may be open at the same time; null for the default, 1,000.",
    numberIn("maxOpenJobs").nullable(),
  ),
  maxStoredBytes: described(
    "Bytes that the client's jobs may keep. Above this, the client can neither start jobs nor add inputs. Null for no limit.",
    numberIn("maxStoredBytes").nullable(),
  ),
};

export const clientSchema = named(
  "Client",
  z.object({
    name: z.string(),
    createdAt: instant,
    ...shareSchema,
    today: described("What the client's jobs have spent today (UTC); not in lists.", spentSchema).optional(),
  }),
);
export type Client = Answer<typeof clientSchema>;

export const clientChangeSchema = z.strictObject(shareSchema).partial();
export type ClientChange = Request<typeof clientChangeSchema>;

export const newClientSchema = clientChangeSchema.extend({
  name: z
    .string()
    .regex(
      CLIENT_NAME,
      "expected 1 to 64 lower-case letters, digits, dots, - and _; `local` and `try` are reserved for the command line",
    ),
});
export type NewClient = Request<typeof newClientSchema>;

export const createdClientSchema = named(
  "NewClient",
  clientSchema.extend({
    webhookSecret: described(
      "Signs events for webhooks that the client's jobs name. Shown only once; absent in a repeated response to the same Idempotency-Key.",
      z.string(),
    ).optional(),
  }),
);
export type CreatedClient = Answer<typeof createdClientSchema>;

export type Role = (typeof ROLES)[number];

export const keySchema = named(
  "Key",
  z.object({
    id: z.string(),
    client: z.string(),
    role: z.enum(ROLES),
    prefix: described("The first characters, to recognize the key.", z.string()),
    createdAt: instant,
    usedAt: described("Approximate time of last use.", instant).optional(),
    revokedAt: instant.optional(),
  }),
);
export type Key = Answer<typeof keySchema>;

export const createdKeySchema = named(
  "NewKey",
  keySchema.extend({
    key: described(
      "The key itself, shown only once; absent in a repeated response to the same Idempotency-Key.",
      z.string(),
    ).optional(),
  }),
);
export type CreatedKey = Answer<typeof createdKeySchema>;

export const meSchema = named(
  "Me",
  z.object({
    client: z.string(),
    role: z.enum(ROLES),
    key: described("Id of the key; absent on loopback without keys.", z.string()).optional(),
    quotas: clientSchema.omit({ name: true, createdAt: true, today: true }),
    itemsLeftToday: z.number().nullable(),
    spentToday: described("What the client's jobs have spent today (UTC).", spentSchema),
    version: described("Version of the server.", z.string()).optional(),
  }),
);
export type Me = Answer<typeof meSchema>;

export const clientParams = z.object({ client: described("The client's name.", z.string().min(1).max(100)) });
export const keyParams = clientParams.extend({ key: described("The key's id.", z.string().min(1).max(100)) });
