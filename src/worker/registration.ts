import { boundOf, type Timed, type WorkSum, type WorkSums } from "../domain/work-sums.ts";
import type { Ledger, WorkerInfo } from "../ports/ledger.ts";

interface RegistrationOptions {
  readonly ledger: Pick<Ledger, "registerWorker">;
  /** As it is now. */
  readonly card: () => WorkerInfo;
  readonly tally: WorkTally;
  readonly onError: (error: unknown) => void;
}

/** So old are a worker's sums at most. */
const BEAT_MS = 5000;

/** Says what the worker is, when it changes and now and then, and with it what the worker has counted. */
export class Registration {
  readonly #options: RegistrationOptions;
  #timer: NodeJS.Timeout | undefined;
  #telling: Promise<void> = Promise.resolve();

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.report(), BEAT_MS);
  }

  /** One after the other: an older card does not overtake a newer one. */
  async report(): Promise<void> {
    const { ledger, card, tally, onError } = this.#options;
    this.#telling = this.#telling
      .then(() => tally.report((sums) => ledger.registerWorker(card(), sums)))
      .catch(onError);
    await this.#telling;
  }

  /** With a last word. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.report();
  }
}

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

  /** What has come together since the last time; `report` that fails leaves it for the next. */
  async report(report: (sums: WorkSums) => Promise<void>): Promise<void> {
    const sums = this.#sums;
    this.#sums = new Map();
    try {
      await report(Object.fromEntries(sums));
    } catch (error) {
      for (const [what, count] of sums) this.add(what, count);
      throw error;
    }
  }
}
