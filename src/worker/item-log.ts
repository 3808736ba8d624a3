import { scraperError } from "../pipeline/collect.ts";
import type { Way } from "../domain/auto-mode.ts";
import type { Failure } from "../domain/failure.ts";
import type { ItemRef } from "../domain/item.ts";
import type { ClaimedItem, OutcomeReport, SettledItem } from "../ports/ledger.ts";
import type { Log } from "./log.ts";

interface ItemFacts {
  readonly job: string;
  readonly item: string;
  readonly attempt: number;
}

const factsOf = ({ job, key, attempt }: ClaimedItem): ItemFacts => ({ job, item: key, attempt });

/** Log lines about single items: each has the job, the item and the attempt. */
export class ItemLog {
  readonly #log: Log;
  /** One line on the terminal is enough: a scraper that does this for one item does it for all. */
  #hasWarned = false;
  /** Items being settled: the ledger refers to them by queue and position. */
  readonly #settling = new WeakMap<SettledItem, ItemFacts>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** `way`: of a scraper of kind `auto`. */
  ended(item: ClaimedItem, { result }: OutcomeReport, failure: Failure | undefined, way?: Way): void {
    const facts = { ...factsOf(item), ...(way && { way }) };
    if (failure) this.#log.warn("attempt failed", { ...facts, kind: failure.kind, detail: failure.detail });
    else this.#log.debug("attempt ended", { ...facts, result });
  }

  /** The item is settled already: all that is left is to warn the scraper's author. */
  late(item: ClaimedItem, error: unknown): void {
    const { detail } = scraperError(error);
    this.#log.warn("late work refused", { ...factsOf(item), detail });
    if (!this.#hasWarned)
      console.error(`warning: item ${item.key} ended before all of its work was done: ${detail}`);
    this.#hasWarned = true;
  }

  givenBack(item: ClaimedItem, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#log.debug("item returned", { ...factsOf(item), reason });
  }

  settling(item: ClaimedItem, settled: SettledItem): void {
    this.#settling.set(settled, factsOf(item));
  }

  refused(items: readonly SettledItem[], refused: readonly ItemRef[]): void {
    for (const { queue, seq } of refused) {
      const item = items.find((one) => one.queue === queue && one.seq === seq);
      const facts = item && this.#settling.get(item);
      this.#log.warn("settle refused", { ...facts, reason: "the lease was lost" });
    }
  }
}
