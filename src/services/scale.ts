import { RecentCosts, scale } from "../domain/scale.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { Scale } from "../schemas/operations.ts";

interface ScaleOptions {
  readonly ledger: Pick<Ledger, "readBacklog">;
}

/** A container that must be scheduled and started first. */
const START_SECONDS = 30;
/** Autoscalers ask one by one; the ledger is asked once. */
const KEPT_MS = 1000;
const AGAIN_MS = { min: 1000, max: 10_000 } as const;

/** The useful number of workers, and when to ask again. */
export class ScaleWatch {
  readonly #ledger: ScaleOptions["ledger"];
  readonly #costs = new RecentCosts();
  #kept: { readonly atMs: number; readonly answer: Promise<Scale> } | undefined;

  constructor({ ledger }: ScaleOptions) {
    this.#ledger = ledger;
  }

  async look(): Promise<Scale> {
    const atMs = performance.now();
    if (!this.#kept || atMs - this.#kept.atMs >= KEPT_MS) this.#kept = { atMs, answer: this.#read(atMs) };
    return await this.#kept.answer;
  }

  async #read(atMs: number): Promise<Scale> {
    const { lanes, workers, work, nextInMs = Infinity } = await this.#ledger.readBacklog();
    const costs = this.#costs.add(work, atMs);
    const againInMs = Math.ceil(Math.min(Math.max(nextInMs, AGAIN_MS.min), AGAIN_MS.max));
    return { ...scale({ lanes, workers, costs, startSeconds: START_SECONDS }), againInMs };
  }
}
