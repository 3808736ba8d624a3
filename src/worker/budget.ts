import { FailureError } from "../domain/failure.ts";
import type { ItemRef } from "../domain/item.ts";
import type { JobSpec } from "../domain/job.ts";
import type { Ledger, UnsettledCost } from "../ports/ledger.ts";

interface Spent {
  requests: number;
  bytes: number;
}

interface Account {
  /** What settled items have spent, as of the last answer of the ledger. */
  known: Spent;
  knownAt: number;
  asking: Promise<void> | undefined;
  /** Counts settles: an answer requested before a settle does not include it. */
  settles: number;
  /** Spent by this worker's unsettled items: each, and in total. */
  readonly unsettled: Map<string, Spent>;
  readonly own: Spent;
}

/** How long the ledger's answer about what others have spent is used. */
const ASK_AGAIN_MS = 1000;

/**
 * What jobs with a budget have spent. It is exact within a worker. What other workers spend is known once they settle, so a job may exceed its
 * budget by what they have in flight.
 */
export class BudgetTracker {
  readonly #ledger: Pick<Ledger, "readJob">;
  readonly #accounts = new Map<string, Account>();
  readonly #now: () => number;

  constructor(ledger: Pick<Ledger, "readJob">, now: () => number = () => performance.now()) {
    this.#ledger = ledger;
    this.#now = now;
  }

  /** Called before each request: throws `budget` if the job has spent its budget, else counts the request. */
  async spend({ id, budget }: Pick<JobSpec, "id" | "budget">, item: ItemRef): Promise<void> {
    if (!budget) return;
    const account = this.#account(id);
    while (this.#now() - account.knownAt > ASK_AGAIN_MS) await (account.asking ??= this.#ask(id, account));
    const { known, own } = account;
    const { requests = Infinity, bytes = Infinity } = budget;
    if (known.requests + own.requests >= requests) throw overspent(`${requests} requests`);
    if (known.bytes + own.bytes >= bytes) throw overspent(`${bytes} bytes`);
    add(account, item, { requests: 1, bytes: 0 });
  }

  /** The item makes no more requests. */
  ended(job: string, item: ItemRef, bytes: number): void {
    const account = this.#accounts.get(job);
    if (account) add(account, item, { requests: 0, bytes });
  }

  /** From now on the ledger counts them. */
  settled(items: readonly ItemRef[]): void {
    for (const [job, account] of this.#accounts) {
      for (const item of items) if (remove(account, item)) account.knownAt = -Infinity;
      account.settles++;
      if (account.unsettled.size === 0 && !account.asking) this.#accounts.delete(job);
    }
  }

  async #ask(job: string, account: Account): Promise<void> {
    const { settles } = account;
    try {
      const view = await this.#ledger.readJob(job);
      account.known = { requests: view?.requests ?? 0, bytes: view?.bytes ?? 0 };
      if (account.settles === settles) account.knownAt = this.#now();
    } finally {
      account.asking = undefined;
    }
  }

  #account(job: string): Account {
    let account = this.#accounts.get(job);
    if (!account) {
      const nothing = (): Spent => ({ requests: 0, bytes: 0 });
      account = {
        known: nothing(),
        knownAt: -Infinity,
        asking: undefined,
        settles: 0,
        unsettled: new Map(),
        own: nothing(),
      };
      this.#accounts.set(job, account);
    }
    return account;
  }
}

const keyOf = ({ queue, seq }: ItemRef): string => `${queue}/${seq}`;

const add = ({ unsettled, own }: Account, item: ItemRef, more: Spent): void => {
  const before = unsettled.get(keyOf(item)) ?? { requests: 0, bytes: 0 };
  unsettled.set(keyOf(item), { requests: before.requests + more.requests, bytes: before.bytes + more.bytes });
  own.requests += more.requests;
  own.bytes += more.bytes;
};

const remove = ({ unsettled, own }: Account, item: ItemRef): boolean => {
  const spent = unsettled.get(keyOf(item));
  if (!spent) return false;
  own.requests -= spent.requests;
  own.bytes -= spent.bytes;
  return unsettled.delete(keyOf(item));
};

const overspent = (what: string): FailureError =>
  new FailureError({ kind: "budget", detail: `the job has spent its budget of ${what}` });

type Cost = Omit<UnsettledCost, "queue">;

/** What this worker's unsettled items have cost so far. The cost of a running item is read from its session. */
export class UnsettledCosts {
  readonly #items = new Map<string, { readonly queue: number; readonly cost: Cost }>();

  /** `cost` may still grow. */
  set({ queue, seq }: ItemRef, cost: Cost): void {
    this.#items.set(`${queue}/${seq}`, { queue, cost });
  }

  of({ queue, seq }: ItemRef): Cost {
    const { requests, bytes } = this.#items.get(`${queue}/${seq}`)?.cost ?? { requests: 0, bytes: 0 };
    return { requests, bytes };
  }

  settled(items: readonly ItemRef[]): void {
    for (const { queue, seq } of items) this.#items.delete(`${queue}/${seq}`);
  }

  get byQueue(): UnsettledCost[] {
    const sums = new Map<number, { queue: number; requests: number; bytes: number }>();
    for (const { queue, cost } of this.#items.values()) {
      const sum = sums.get(queue) ?? { queue, requests: 0, bytes: 0 };
      sum.requests += cost.requests;
      sum.bytes += cost.bytes;
      sums.set(queue, sum);
    }
    return [...sums.values()];
  }
}
