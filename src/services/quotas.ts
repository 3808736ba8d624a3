import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { ClientLedger } from "../ports/ledger.ts";
import type { Registry } from "../ports/registry.ts";
import type { ServiceContext } from "./context.ts";
import { Problem } from "./problem.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

interface Quotas {
  readonly ledger: ClientLedger;
  readonly registry: Registry;
}

/** How many items the client's jobs may still accept today (UTC); Infinity without a quota. */
export const itemsLeft = async (
  { ledger, registry }: Quotas,
  client: string,
  now: number,
): Promise<number> => {
  const itemsPerDay = (await registry.readClient(client))?.itemsPerDay;
  if (itemsPerDay === undefined) return Infinity;
  return Math.max(0, itemsPerDay - (await ledger.countAccepted(client, now - (now % DAY_MS))));
};

interface NewItems {
  readonly client: string;
  readonly count: number;
  /** Where the upload that they belong to can be resumed. */
  readonly offset?: number;
}

/** Longer than adding takes. If a controller is killed, its client waits no longer than this. */
const HOLD_MS = 10_000;
const WAIT_MS = 30_000;
const ASK_MS = 20;

/**
 * Adds the items if today's quota has room for all of them. Requests of a client with a quota run one after the other, over all controllers: concurrent
 * ones would all see the same room.
 */
export const addWithinQuota = async <T>(
  context: Quotas,
  { client, count, offset }: NewItems,
  now: () => number,
  add: () => Promise<T>,
): Promise<T> => {
  if (count === 0 || (await itemsLeft(context, client, now())) === Infinity) return await add();
  await using _turn = await quotaTurn(context.registry, client);
  if (count > (await itemsLeft(context, client, now()))) throw quotaProblem(client, now(), offset);
  return await add();
};

const quotaTurn = async (registry: Registry, client: string): Promise<AsyncDisposable> => {
  const task = `quota/${client}`;
  const holder = randomBytes(6).toString("hex");
  const endsAt = performance.now() + WAIT_MS;
  while (!(await registry.holdTask(task, holder, HOLD_MS))) {
    if (performance.now() >= endsAt)
      throw new Problem("unavailable", `${client}: other requests are still adding items. Try again.`, {
        retryAfterSeconds: 5,
      });
    await delay(ASK_MS);
  }
  return { [Symbol.asyncDispose]: () => registry.dropTask(task, holder) };
};

const quotaProblem = (client: string, now: number, offset?: number): Problem =>
  new Problem(
    "quota-exceeded",
    `${client} has used up today's quota of items. The quota is renewed at 00:00 UTC.`,
    {
      retryAfterSeconds: Math.ceil((DAY_MS - (now % DAY_MS)) / 1000),
      ...(offset !== undefined && { offset }),
    },
  );

/** Controllers look at open jobs every second, so their number is limited. */
const MOST_OPEN_JOBS = 1000;

/** Refuses if the client has reached its storage limit, or with `isNew`, its limit of open jobs. */
export const checkHoldings = async (
  { ledger, registry }: Pick<ServiceContext, "ledger" | "registry">,
  client: string,
  { isNew }: { readonly isNew: boolean },
): Promise<void> => {
  const info = await registry.readClient(client);
  const { maxOpenJobs = MOST_OPEN_JOBS, maxStoredBytes = Infinity } = info ?? {};
  const openJobs = isNew ? await ledger.countOpenJobs(client) : 0;
  if (isNew && openJobs >= maxOpenJobs)
    throw new Problem(
      "too-many-jobs",
      `${client} has ${openJobs} open jobs; the limit is ${maxOpenJobs}. Cancel or seal jobs that are no longer needed: a job ends when it is sealed and all of its items have ended.`,
      { retryAfterSeconds: 60 },
    );
  const bytes = maxStoredBytes === Infinity ? 0 : await ledger.countKeptBytes(client);
  if (bytes >= maxStoredBytes)
    throw new Problem(
      "storage-full",
      `${client} stores ${bytes} bytes; the limit is ${maxStoredBytes}. Remove jobs, or their pages, that are no longer needed.`,
    );
};
