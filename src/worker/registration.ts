import { boundOf, type Timed, type WorkSum, type WorkSums } from "../domain/work-sums.ts";
import type { Ledger, WorkerInfo } from "../ports/ledger.ts";

interface RegistrationOptions {
  readonly ledger: Pick<Ledger, "registerWorker">;
  /** The current state. */
  readonly info: () => WorkerInfo;
  readonly tally: WorkTally;
  readonly onError: (error: unknown) => void;
}

/** A worker's sums are at most this old. */
const BEAT_MS = 5000;

/** Registers the worker on changes and regularly, with what it has counted. */
export class Registration {
  readonly #options: RegistrationOptions;
  #timer: NodeJS.Timeout | undefined;
  #reporting: Promise<void> = Promise.resolve();

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.report(), BEAT_MS);
  }

  /** One at a time: an older state must not overtake a newer one. */
  async report(): Promise<void> {
    const { ledger, info, tally, onError } = this.#options;
    this.#reporting = this.#reporting
      .then(() => tally.report((sums) => ledger.registerWorker(info(), sums)))
      .catch(onError);
    await this.#reporting;
  }

  /** Reports once more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.report();
  }
}

/** What a worker counts until it reports to the ledger. */
export class WorkTally {
  #sums = new Map<WorkSum, number>();

  add(what: WorkSum, count: number): void {
    if (count !== 0) this.#sums.set(what, (this.#sums.get(what) ?? 0) + count);
  }

  /** Times calls that succeed. */
  async timed<T>(what: Timed, run: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const result = await run();
    const seconds = (performance.now() - startedAt) / 1000;
    this.add(`${what} within ${boundOf(seconds)}`, 1);
    this.add(`${what} seconds`, seconds);
    return result;
  }

  /** Reports what was counted since the last time. If that fails, it is kept for the next. */
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
