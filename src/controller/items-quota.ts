import type { Ledger } from "../ports/ledger.ts";
import type { Registry } from "../ports/registry.ts";
import { Problem } from "./problem.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** How many items a client may still give to its jobs today (UTC); Infinity where nothing is said. */
export const itemsLeft = async (
  { ledger, registry }: { readonly ledger: Ledger; readonly registry: Registry },
  client: string,
  now: number,
): Promise<number> => {
  const itemsPerDay = (await registry.readClient(client))?.itemsPerDay;
  if (itemsPerDay === undefined) return Infinity;
  return Math.max(0, itemsPerDay - (await ledger.countAccepted(client, now - (now % DAY_MS))));
};

export const quotaProblem = (client: string, now: number, offset?: number): Problem =>
  new Problem("quota-exceeded", `${client} may not submit more items today. Its quota is new at 00:00 UTC.`, {
    retryAfterSeconds: Math.ceil((DAY_MS - (now % DAY_MS)) / 1000),
    ...(offset !== undefined && { offset }),
  });
