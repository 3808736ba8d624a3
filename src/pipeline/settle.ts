import type { ItemRef } from "../domain/item.ts";
import type { Ledger, SettledItem } from "../ports/ledger.ts";

interface SettlerOptions {
  readonly ledger: Pick<Ledger, "settle">;
  readonly worker: string;
  /** Called with the items of a batch, and with those that were refused. */
  readonly onSettled: (items: readonly SettledItem[], refused: readonly ItemRef[]) => void;
  /** The ledger cannot be written: the worker must stop. The items stay leased, and others retry them. */
  readonly onError: (error: unknown) => void;
}

/** One transaction holds the ledger's lock for about 20 ms at most. */
const BATCH = 500;
/** Items of one segment become durable together, a few ticks apart: they are settled together. */
const GATHER_MS = 4;

/**
 * Collects ended items, which are durable already, for a moment and settles them in one transaction.
 */
export class Settler {
  readonly #options: SettlerOptions;
  #waiting: SettledItem[] = [];
  #timer: NodeJS.Timeout | undefined;
  #busy: Promise<void> = Promise.resolve();

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  add(item: SettledItem): void {
    this.#waiting.push(item);
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  /** Settles what is left; resolves when no settle is in progress. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#busy = this.#busy.then(() => this.#settleAll());
    await this.#busy;
  }

  async #settleAll(): Promise<void> {
    const { ledger, worker, onSettled, onError } = this.#options;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      try {
        const { refused } = await ledger.settle(worker, batch);
        onSettled(batch, refused);
      } catch (error) {
        onError(error);
      }
    }
  }
}
