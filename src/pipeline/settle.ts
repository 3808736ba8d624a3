import type { ItemRef } from "../domain/item.ts";
import type { Ledger, SettledItem } from "../ports/ledger.ts";

interface SettlerOptions {
  readonly ledger: Pick<Ledger, "settle">;
  readonly worker: string;
  /** Told what a batch held, refused ones included, and which of them were refused. */
  readonly onSettled: (items: readonly SettledItem[], refused: readonly ItemRef[]) => void;
  /** The ledger cannot be written: the worker must stop. The items stay leased and are tried again by others. */
  readonly onError: (error: unknown) => void;
}

/** One transaction holds the ledger's lock for some 20 ms at most. */
const BATCH = 500;
/** Items of one segment become durable together, a few ticks apart: they are settled together. */
const GATHER_MS = 4;

/**
 * The second door. What comes in is durable already; it is gathered for a moment and settled in one transaction, which says
 * everything about its items at once.
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

  /** Settles what is there; resolves when nothing is left under way. */
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
