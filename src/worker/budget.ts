import { reachedLimit, type SpendingLimits } from "../domain/budget.ts";
import { addCosts, type Cost, costOfAttempt, costOfJob, NO_COST, toMicro } from "../domain/cost.ts";
import { FailureError, StopError } from "../domain/failure.ts";
import type { ItemRef } from "../domain/item.ts";
import type { JobSpec } from "../domain/job.ts";
import { type Ledger, LedgerError } from "../ports/ledger.ts";
import { microCost, type TierPrice } from "./proxy-tiers.ts";
import type { UnsettledCosts } from "./unsettled-costs.ts";

/** An item of this worker that is not settled. */
interface OwnItem {
  readonly item: ItemRef;
  /** Those that passed here: they count before they leave. */
  requests: number;
  /** Its cost when its current request has ended; undefined while it waits for others, or makes no more requests. */
  expected: Cost | undefined;
  /** Of a request that has ended. */
  final?: Cost;
}

/** A limit and what was spent: of a job, or of a client's day. */
interface Account {
  /** `the job`, or the client. */
  readonly whose: string;
  readonly read: () => Promise<{ readonly spent: Cost; readonly limits: SpendingLimits }>;
  limits: SpendingLimits;
  /** What settled items have spent, as of the last answer of the ledger. */
  known: Cost;
  knownAt: number;
  asking: Promise<void> | undefined;
  /** Counts settles: an answer requested before a settle does not include it. */
  settles: number;
  readonly open: Map<string, OwnItem>;
  /** Ended and not settled. There may be thousands. */
  readonly ended: Map<string, OwnItem>;
  endedCost: Cost;
}

/** How long the ledger's answer about the spending of others is used: with a limit, and without one. */
const ASK_AGAIN_MS = 1000;
const UNLIMITED_AGAIN_MS = 10_000;
/** A request is expected to have at least this many bytes. */
const LEAST_BYTES = 50_000;

type Spender = Pick<JobSpec, "id" | "budget"> & Partial<Pick<JobSpec, "client">>;

/**
 * What jobs with a budget, and clients with limits by day, have spent. It is exact within a worker: the price and the bytes of a request are reserved before it
 * starts, and while too much is reserved, requests wait until others have ended. What other workers spend is known once they settle, so a budget may be exceeded by
 * what they have in flight.
 */
export class BudgetTracker {
  readonly #ledger: Pick<Ledger, "readJob" | "readSpending" | "controlJob">;
  readonly #costs: Pick<UnsettledCosts, "of">;
  readonly #jobs = new Map<string, Account>();
  readonly #clients = new Map<string, Account>();
  readonly #pausing = new Map<string, Promise<void>>();
  readonly #now: () => number;
  #changed = Promise.withResolvers<void>();

  constructor(
    ledger: Pick<Ledger, "readJob" | "readSpending" | "controlJob">,
    costs: Pick<UnsettledCosts, "of">,
    now: () => number = () => performance.now(),
  ) {
    this.#ledger = ledger;
    this.#costs = costs;
    this.#now = now;
  }

  /**
   * Called before each request, with the price of its proxy: counts the request, if necessary after a wait. When the budget is
   * used up, it throws `budget`, or pauses the job if it asks for that.
   */
  async spend(job: Spender, item: ItemRef, price: TierPrice = {}): Promise<void> {
    const all = this.#accountsOf(job);
    let accounts = all;
    const key = keyOf(item);
    for (let isWaiting = false; ;) {
      for (const account of all) await this.#refresh(account);
      accounts = all.filter(isLimited);
      if (isWaiting && !all.some(({ open }) => open.has(key)))
        throw new StopError("the item ended while it waited for its budget");
      for (const account of accounts) {
        const limit = reachedLimit(account.limits, this.#spent(account));
        if (limit !== undefined)
          throw await this.#refusal(job, `${account.whose} has spent its budget of ${limit}`);
      }
      if (!accounts.some((account) => this.#isReserved(account, key))) break;
      if (!isWaiting) {
        isWaiting = true;
        // Nothing is reserved for waiting requests: if all wait, the first continues.
        for (const account of accounts) ownItem(account, item).expected = undefined;
        this.#wake();
      }
      await this.#changed.promise;
    }
    for (const account of accounts) {
      const own = ownItem(account, item);
      own.requests++;
      const { bytes, requests } = this.#spent(account);
      const more = Math.round(Math.max(LEAST_BYTES, bytes / requests));
      const reserve = { requests: 0, bytes: more, microCost: microCost(price, 1, more) };
      own.expected = addCosts(this.#liveCost(own), reserve);
    }
  }

  /** The item makes no more requests: its cost is known. */
  ended(item: ItemRef): void {
    const key = keyOf(item);
    for (const account of this.#accounts()) {
      const own = account.open.get(key);
      if (!own) continue;
      own.final = this.#liveCost(own);
      account.open.delete(key);
      account.ended.set(key, own);
      account.endedCost = addCosts(account.endedCost, own.final);
    }
    this.#wake();
  }

  /** From now on the ledger counts them. */
  settled(items: readonly ItemRef[]): void {
    for (const account of this.#accounts()) {
      for (const item of items) if (remove(account, keyOf(item))) account.knownAt = -Infinity;
      account.settles++;
    }
    for (const [job, { open, ended, asking }] of this.#jobs)
      if (open.size + ended.size === 0 && !asking) this.#jobs.delete(job);
    this.#wake();
  }

  #accounts(): Account[] {
    return [...this.#jobs.values(), ...this.#clients.values()];
  }

  #wake(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }

  #spent(account: Account): Cost {
    const { open, known, endedCost } = account;
    let spent = addCosts(known, endedCost);
    for (const own of open.values()) spent = addCosts(spent, this.#liveCost(own));
    return spent;
  }

  /** Whether others of this worker may yet spend what is left. */
  #isReserved(account: Account, asking: string): boolean {
    const { open, limits } = account;
    if (limits.bytes === undefined && limits.cost === undefined) return false;
    let { bytes, microCost: cost } = this.#spent(account);
    for (const [key, own] of open) {
      if (key === asking || !own.expected) continue;
      const live = this.#liveCost(own);
      bytes += Math.max(0, own.expected.bytes - live.bytes);
      cost += Math.max(0, own.expected.microCost - live.microCost);
    }
    return bytes >= (limits.bytes ?? Infinity) || cost >= toMicro(limits.cost ?? Infinity);
  }

  #liveCost({ item, requests }: OwnItem): Cost {
    return { ...costOfAttempt(this.#costs.of(item)), requests };
  }

  async #refresh(account: Account): Promise<void> {
    const isFresh = (): boolean =>
      this.#now() - account.knownAt <= (isLimited(account) ? ASK_AGAIN_MS : UNLIMITED_AGAIN_MS);
    while (!isFresh()) await (account.asking ??= this.#ask(account));
  }

  async #ask(account: Account): Promise<void> {
    const { settles } = account;
    try {
      const { spent, limits } = await account.read();
      account.known = spent;
      account.limits = limits;
      if (account.settles === settles) account.knownAt = this.#now();
    } finally {
      account.asking = undefined;
    }
  }

  async #refusal({ id, budget }: Spender, reason: string): Promise<Error> {
    if (budget?.onSpent !== "pause") return new FailureError({ kind: "budget", detail: reason });
    let pausing = this.#pausing.get(id);
    if (!pausing) {
      pausing = this.#ledger
        .controlJob(id, "pause", { cause: "budget", reason })
        .catch((error: unknown) => {
          if (!(error instanceof LedgerError) || error.code !== "job-ended") throw error;
        })
        .finally(() => this.#pausing.delete(id));
      this.#pausing.set(id, pausing);
    }
    await pausing;
    return new StopError(reason);
  }

  #accountsOf({ id, budget, client }: Spender): Account[] {
    const found: Account[] = [];
    if (budget) found.push(accountIn(this.#jobs, id, "the job", () => this.#readJob(id, budget)));
    if (client !== undefined)
      found.push(accountIn(this.#clients, client, `client ${client}`, () => this.#readClient(client)));
    return found;
  }

  /** The budget may have been raised since the job was loaded. */
  async #readJob(id: string, loaded: SpendingLimits): ReturnType<Account["read"]> {
    const view = await this.#ledger.readJob(id);
    return { spent: view ? costOfJob(view) : NO_COST, limits: view?.spec.budget ?? loaded };
  }

  async #readClient(client: string): ReturnType<Account["read"]> {
    const { spent, perDay } = await this.#ledger.readSpending(client);
    const { requestsPerDay: requests, bytesPerDay: bytes, costPerDay: cost } = perDay;
    return {
      spent,
      limits: {
        ...(requests !== undefined && { requests }),
        ...(bytes !== undefined && { bytes }),
        ...(cost !== undefined && { cost }),
      },
    };
  }
}

const keyOf = ({ queue, seq }: ItemRef): string => `${queue}/${seq}`;

const isLimited = ({ limits }: Account): boolean =>
  limits.requests !== undefined || limits.bytes !== undefined || limits.cost !== undefined;

const accountIn = (
  accounts: Map<string, Account>,
  name: string,
  whose: string,
  read: Account["read"],
): Account => {
  let account = accounts.get(name);
  if (!account) {
    account = {
      whose,
      read,
      limits: {},
      known: NO_COST,
      knownAt: -Infinity,
      asking: undefined,
      settles: 0,
      open: new Map(),
      ended: new Map(),
      endedCost: NO_COST,
    };
    accounts.set(name, account);
  }
  return account;
};

const ownItem = ({ open }: Account, item: ItemRef): OwnItem => {
  let own = open.get(keyOf(item));
  if (!own) open.set(keyOf(item), (own = { item, requests: 0, expected: undefined }));
  return own;
};

const remove = (account: Account, key: string): boolean => {
  const { final } = account.ended.get(key) ?? {};
  if (final) {
    const { requests, bytes, microCost: cost } = final;
    account.endedCost = addCosts(account.endedCost, { requests: -requests, bytes: -bytes, microCost: -cost });
    account.ended.delete(key);
    return true;
  }
  return account.open.delete(key);
};
