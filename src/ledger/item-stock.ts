import { type Transaction, want } from "./transaction.ts";
import { type DueItem, type Item, newRetry, type Queue } from "./records.ts";

/** Where a claim takes its items from. `queue` is as it is now: what was taken before is at or before its cursor. */
export interface ItemStock {
  /** Items are only counted, and have no keys. */
  readonly isPlan: boolean;
  /** The next ones that were never tried, and whether there are more. */
  fresh(queue: Queue, count: number): { readonly items: readonly Item[]; readonly hasMore: boolean };
  /** Those that are due, and when the next one is. */
  due(queue: Queue, count: number): { readonly items: readonly DueItem[]; readonly nextAt: number | null };
}

interface Demand {
  readonly after: number;
  fresh: number;
  due: number;
}

type Demands = Map<number, Demand>;

const demandOf = (demands: Demands, queue: Queue): Demand => {
  let demand = demands.get(queue.id);
  if (!demand) demands.set(queue.id, (demand = { after: queue.cursor, fresh: 0, due: 0 }));
  return demand;
};

const NOTHING = {
  key: "",
  input: "",
  scraper: 0,
  depth: 0,
  chain: 0,
  parentQueue: null,
  parentSeq: null,
} as const;

/** Counts what a claim would take, as if every place had an item: so all of it is loaded in one go. */
export class PlannedStock implements ItemStock {
  readonly isPlan = true;
  readonly demands: Demands = new Map();

  fresh(queue: Queue, count: number): { readonly items: readonly Item[]; readonly hasMore: boolean } {
    const most = Math.min(count, queue.tail - queue.cursor);
    demandOf(this.demands, queue).fresh += most;
    const items = Array.from({ length: most }, (_, n) => ({
      ...NOTHING,
      queue: queue.id,
      seq: queue.cursor + n + 1,
    }));
    return { items, hasMore: queue.cursor + most < queue.tail };
  }

  /** How many are really due is not known: what is asked for is loaded, and as many beside it that were never tried. */
  due(queue: Queue, count: number): { readonly items: readonly DueItem[]; readonly nextAt: number | null } {
    demandOf(this.demands, queue).due += count;
    const most = queue.hasFresh ? 0 : Math.min(count, queue.open - queue.leased);
    const items = Array.from({ length: most }, () => ({ ...NOTHING, ...newRetry(queue.id, 0) }));
    return { items, nextAt: queue.dueAt };
  }

  load(tx: Transaction): LoadedStock {
    tx.need(
      ...this.demands
        .entries()
        .flatMap(([queue, { after, fresh, due }]) => [
          ...(fresh > 0 ? [want("freshItems", queue, after, fresh + 1)] : []),
          ...(due > 0 ? [want("dueItems", queue, due + 1)] : []),
        ]),
    );
    return new LoadedStock(tx, this.demands);
  }
}

class LoadedStock implements ItemStock {
  readonly isPlan = false;
  readonly #tx: Transaction;
  readonly #demands: Demands;
  readonly #taken = new Set<string>();

  constructor(tx: Transaction, demands: Demands) {
    this.#tx = tx;
    this.#demands = demands;
  }

  fresh(queue: Queue, count: number): { readonly items: readonly Item[]; readonly hasMore: boolean } {
    const demand = this.#demands.get(queue.id);
    if (!demand || demand.fresh === 0) return { items: [], hasMore: queue.hasFresh };
    const left = moreThan(
      count,
      demand.fresh + 1,
      (limit) => this.#tx.list("freshItems", queue.id, demand.after, limit),
      (item) => item.seq > queue.cursor,
    ).toSorted((a, b) => a.seq - b.seq);
    return { items: left.slice(0, count), hasMore: left.length > count };
  }

  due(queue: Queue, count: number): { readonly items: readonly DueItem[]; readonly nextAt: number | null } {
    const demand = this.#demands.get(queue.id);
    if (!demand || demand.due === 0) return { items: [], nextAt: queue.dueAt };
    const left = moreThan(
      count,
      demand.due + 1,
      (limit) => this.#tx.list("dueItems", queue.id, limit),
      ({ seq }) => !this.#taken.has(`${queue.id} ${seq}`),
    ).toSorted((a, b) => a.dueAt! - b.dueAt! || a.seq - b.seq);
    const items = left.filter(({ dueAt }) => dueAt! <= this.#tx.now).slice(0, count);
    for (const { seq } of items) this.#taken.add(`${queue.id} ${seq}`);
    return { items, nextAt: left[items.length]?.dueAt ?? null };
  }
}

/** Those that are left of a list, and one more than are asked for if there is one: where more are taken than was planned, more are loaded. */
const moreThan = <T>(
  count: number,
  limit: number,
  load: (limit: number) => readonly T[],
  isLeft: (one: T) => boolean,
): T[] => {
  const loaded = load(limit);
  const left = loaded.filter(isLeft);
  return left.length > count || loaded.length < limit ? left : load(limit + count).filter(isLeft);
};
