import { boundOf, type Timed, type WorkSum, type WorkSums } from "../domain/work-sums.ts";

/** What a worker counts of its own work until it tells the ledger. */
export class WorkTally {
  #sums = new Map<WorkSum, number>();

  add(what: WorkSum, count: number): void {
    if (count !== 0) this.#sums.set(what, (this.#sums.get(what) ?? 0) + count);
  }

  /** Times what comes to a good end. */
  async timed<T>(what: Timed, run: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const result = await run();
    const seconds = (performance.now() - startedAt) / 1000;
    this.add(`${what} within ${boundOf(seconds)}`, 1);
    this.add(`${what} seconds`, seconds);
    return result;
  }

  /** What has come together since the last time; `tell` that fails leaves it for the next. */
  async tell(tell: (sums: WorkSums) => Promise<void>): Promise<void> {
    const sums = this.#sums;
    this.#sums = new Map();
    try {
      await tell(Object.fromEntries(sums));
    } catch (error) {
      for (const [what, count] of sums) this.add(what, count);
      throw error;
    }
  }
}
