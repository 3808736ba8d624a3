import type { ItemRef } from "../domain/item.ts";
import type { UnsettledCost } from "../ports/ledger.ts";

type Cost = Omit<UnsettledCost, "queue">;

/** What the items that this worker has not settled yet have cost so far. The cost of a running item is read from its session. */
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
