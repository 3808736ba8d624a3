import { z } from "zod";
import type { ClientInfo, KeyInfo } from "../../ports/registry.ts";
import { ROLES } from "../../ports/registry.ts";
import { named, says } from "../api-registry.ts";
import { isoTime } from "../iso-time.ts";
import { instant } from "./instant.ts";
import { numberIn } from "./number-in.ts";

/** As a pattern, so that the document says it too. Jobs of the command line belong to `local` and `try`. */
export const clientName = z
  .string()
  .regex(
    /^(?!(?:local|try)$)[a-z0-9][a-z0-9._-]{0,63}$/,
    "1 to 64 small letters, digits, dots, - and _ only, and neither `local` nor `try`, which the command line is",
  );

export const shareSchema = {
  weight: says("Its part of lanes and workers, against that of others.", numberIn("weight")),
  itemsPerDay: says(
    "Items that its jobs may accept in a day (UTC), found ones included; null for no limit.",
    numberIn("itemsPerDay").nullable(),
  ),
  maxRunning: says(
    "Of its items, how many may run at a time; null for no limit.",
    numberIn("maxRunning").nullable(),
  ),
  requestsPerMinute: says(
    "API requests a minute for each of its keys; null for no limit.",
    numberIn("requestsPerMinute").nullable(),
  ),
  maxOpenJobs: says(
    "Of its jobs, how many may be open at a time; null for 1,000.",
    numberIn("maxOpenJobs").nullable(),
  ),
  maxStoredBytes: says(
    "Bytes that its jobs may have fetched and still keep: above that it starts no job and adds no inputs. Null for no limit.",
    numberIn("maxStoredBytes").nullable(),
  ),
};

export const clientSchema = named(
  "Client",
  z.object({ name: z.string(), createdAt: instant, ...shareSchema }),
);

export const newClientSchema = named(
  "NewClient",
  clientSchema.extend({
    webhookSecret: says(
      "Checks the signature of what goes to the webhooks that its jobs name themselves. Shown this once; left out when the answer is repeated for its Idempotency-Key.",
      z.string(),
    ).optional(),
  }),
);

export const clientView = (card: ClientInfo): z.infer<typeof clientSchema> => ({
  name: card.name,
  createdAt: isoTime(card.createdAt),
  weight: card.weight,
  itemsPerDay: card.itemsPerDay ?? null,
  maxRunning: card.maxRunning ?? null,
  requestsPerMinute: card.requestsPerMinute ?? null,
  maxOpenJobs: card.maxOpenJobs ?? null,
  maxStoredBytes: card.maxStoredBytes ?? null,
});

export const keySchema = named(
  "Key",
  z.object({
    id: z.string(),
    client: z.string(),
    role: z.enum(ROLES),
    prefix: says("Its first characters, to tell keys apart by.", z.string()),
    createdAt: instant,
    usedAt: says("About when it was used last.", instant).optional(),
    revokedAt: instant.optional(),
  }),
);

export const newKeySchema = named(
  "NewKey",
  keySchema.extend({
    key: says(
      "The key itself, shown this once. Left out when the answer is repeated for its Idempotency-Key.",
      z.string(),
    ).optional(),
  }),
);

export const keyView = (card: KeyInfo): z.infer<typeof keySchema> => ({
  id: card.id,
  client: card.client,
  role: card.role,
  prefix: card.prefix,
  createdAt: isoTime(card.createdAt),
  ...(card.usedAt !== undefined && { usedAt: isoTime(card.usedAt) }),
  ...(card.revokedAt !== undefined && { revokedAt: isoTime(card.revokedAt) }),
});
