import { addTierCosts, tierCostList, type TierCosts } from "../domain/cost.ts";
import type { ItemRef } from "../domain/item.ts";
import type { UnsettledCost } from "../ports/ledger.ts";

type ItemCost = Omit<UnsettledCost, "queue">;

/** What this worker's unsettled items have cost so far. The cost of a running item is read from its session. */
export class UnsettledCosts {
  readonly #items = new Map<string, { readonly queue: number; readonly cost: ItemCost }>();

  /** `cost` may still grow. */
  set({ queue, seq }: ItemRef, cost: ItemCost): void {
    this.#items.set(`${queue}/${seq}`, { queue, cost });
  }

  of({ queue, seq }: ItemRef): ItemCost {
    const { requests, bytes, proxied } = this.#items.get(`${queue}/${seq}`)?.cost ?? {
      requests: 0,
      bytes: 0,
    };
    return { requests, bytes, ...(proxied && { proxied }) };
  }

  settled(items: readonly ItemRef[]): void {
    for (const { queue, seq } of items) this.#items.delete(`${queue}/${seq}`);
  }

  get byQueue(): UnsettledCost[] {
    const sums = new Map<number, { queue: number; requests: number; bytes: number; costs: TierCosts }>();
    for (const { queue, cost } of this.#items.values()) {
      const sum = sums.get(queue) ?? { queue, requests: 0, bytes: 0, costs: {} };
      sum.requests += cost.requests;
      sum.bytes += cost.bytes;
      sum.costs = addTierCosts(sum.costs, cost.proxied);
      sums.set(queue, sum);
    }
    return [...sums.values()].map(({ costs, ...sum }) => {
      const proxied = tierCostList(costs);
      return { ...sum, ...(proxied.length > 0 && { proxied }) };
    });
  }
}
