import { type Transaction, want } from "./transaction.ts";
import type { DueItem, FreshItem, Queue } from "./records.ts";

interface Taken<I> {
  /** The number of items taken. A plan does not have the items themselves. */
  readonly count: number;
  readonly items: readonly I[];
}
export interface FreshItems extends Taken<FreshItem> {
  /** Place of the last one; the queue's cursor if there is none. */
  readonly last: number;
  readonly hasMore: boolean;
}
export interface DueItems extends Taken<DueItem> {
  /** When the next one is due. */
  readonly nextAt: number | null;
}

/** Where a claim takes its items from. `queue` is the current record: items taken before are at or before its cursor. */
export interface ItemStock {
  /** Items are only counted. */
  readonly isPlan: boolean;
  /** The next items that were never tried. */
  fresh(queue: Queue, count: number): FreshItems;
  due(queue: Queue, count: number): DueItems;
}

interface Demand {
  readonly after: number;
  fresh: number;
  due: number;
}

type Demands = Map<number, Demand>;

/** Counts what a claim would take, as if every place had an item, so that everything is loaded in one round. */
export class PlannedStock implements ItemStock {
  readonly isPlan = true;
  readonly #demands: Demands = new Map();

  #demandOf(queue: Queue): Demand {
    let demand = this.#demands.get(queue.id);
    if (!demand) this.#demands.set(queue.id, (demand = { after: queue.cursor, fresh: 0, due: 0 }));
    return demand;
  }

  fresh(queue: Queue, most: number): FreshItems {
    const count = Math.min(most, queue.tail - queue.cursor);
    const last = queue.cursor + count;
    this.#demandOf(queue).fresh += count;
    return { count, items: [], last, hasMore: last < queue.tail };
  }

  /** The number of due items is not known: as many as asked for are loaded, and as many that were never tried. */
  due(queue: Queue, most: number): DueItems {
    this.#demandOf(queue).due += most;
    const count = queue.hasFresh ? 0 : Math.min(most, queue.open - queue.leased);
    return { count, items: [], nextAt: queue.dueAt };
  }

  load(tx: Transaction): ItemStock {
    tx.need(
      ...this.#demands
        .entries()
        .flatMap(([queue, { after, fresh, due }]) => [
          ...(fresh > 0 ? [want("freshItems", queue, after, fresh + 1)] : []),
          ...(due > 0 ? [want("dueItems", queue, due + 1)] : []),
        ]),
    );
    return new LoadedStock(tx, this.#demands);
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

  fresh(queue: Queue, count: number): FreshItems {
    const demand = this.#demands.get(queue.id);
    if (!demand || demand.fresh === 0)
      return { count: 0, items: [], last: queue.cursor, hasMore: queue.hasFresh };
    const left = moreThan(
      count,
      demand.fresh + 1,
      (limit) => this.#tx.list("freshItems", queue.id, demand.after, limit),
      (item) => item.seq > queue.cursor,
    );
    const items = left.slice(0, count);
    return {
      count: items.length,
      items,
      last: items.at(-1)?.seq ?? queue.cursor,
      hasMore: left.length > count,
    };
  }

  due(queue: Queue, count: number): DueItems {
    const demand = this.#demands.get(queue.id);
    if (!demand || demand.due === 0) return { count: 0, items: [], nextAt: queue.dueAt };
    const left = moreThan(
      count,
      demand.due + 1,
      (limit) => this.#tx.list("dueItems", queue.id, limit),
      ({ seq }) => !this.#taken.has(`${queue.id} ${seq}`),
    );
    const items = left.filter(({ dueAt }) => dueAt! <= this.#tx.now).slice(0, count);
    for (const { seq } of items) this.#taken.add(`${queue.id} ${seq}`);
    return { count: items.length, items, nextAt: left[items.length]?.dueAt ?? null };
  }
}

/** The rest of a list, and one more than asked for if there is one: if more items are taken than planned, more are loaded. */
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
