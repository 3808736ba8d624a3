import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { ClientLedger } from "../ports/ledger.ts";
import type { Registry } from "../ports/registry.ts";
import { Problem } from "./problem.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** How many items a client may still give to its jobs today (UTC); Infinity where nothing is said. */
export const itemsLeft = async (
  { ledger, registry }: { readonly ledger: ClientLedger; readonly registry: Registry },
  client: string,
  now: number,
): Promise<number> => {
  const itemsPerDay = (await registry.readClient(client))?.itemsPerDay;
  if (itemsPerDay === undefined) return Infinity;
  return Math.max(0, itemsPerDay - (await ledger.countAccepted(client, now - (now % DAY_MS))));
};

interface AskedItems {
  readonly client: string;
  readonly count: number;
  /** Of the upload that they come from: where it can go on. */
  readonly offset?: number;
}

/** Longer than adding takes; a controller that was killed keeps its client waiting no longer. */
const HOLD_MS = 10_000;
const WAIT_MS = 30_000;
const ASK_MS = 20;

/**
 * Adds the items where today's quota has room for all of them. One after the other for each client with a quota, over all controllers: requests
 * that come together would else all find the same room.
 */
export const addWithinQuota = async <T>(
  service: { readonly ledger: ClientLedger; readonly registry: Registry },
  { client, count, offset }: AskedItems,
  now: () => number,
  add: () => Promise<T>,
): Promise<T> => {
  if (count === 0 || (await itemsLeft(service, client, now())) === Infinity) return await add();
  await using _turn = await quotaTurn(service.registry, client);
  if (count > (await itemsLeft(service, client, now()))) throw quotaProblem(client, now(), offset);
  return await add();
};

const quotaTurn = async (registry: Registry, client: string): Promise<AsyncDisposable> => {
  const task = `quota/${client}`;
  const holder = randomBytes(6).toString("hex");
  const endsAt = performance.now() + WAIT_MS;
  while (!(await registry.holdTask(task, holder, HOLD_MS))) {
    if (performance.now() >= endsAt)
      throw new Problem("unavailable", `${client}: its other requests are still adding items. Ask again.`, {
        retryAfterSeconds: 5,
      });
    await delay(ASK_MS);
  }
  return { [Symbol.asyncDispose]: () => registry.dropTask(task, holder) };
};

const quotaProblem = (client: string, now: number, offset?: number): Problem =>
  new Problem("quota-exceeded", `${client} may not submit more items today. Its quota is new at 00:00 UTC.`, {
    retryAfterSeconds: Math.ceil((DAY_MS - (now % DAY_MS)) / 1000),
    ...(offset !== undefined && { offset }),
  });
