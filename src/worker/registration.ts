import { boundOf, type Timed, type WorkSum, type WorkSums } from "../domain/work-sums.ts";
import type { Attempt } from "../domain/item.ts";
import { SCALE_KINDS, type ScaleKind } from "../domain/scale.ts";
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
  #cpuSeconds = cpuSeconds();

  add(what: WorkSum, count: number): void {
    if (count !== 0) this.#sums.set(what, (this.#sums.get(what) ?? 0) + count);
  }

  /** The cost of an ended item. */
  item(kind: ScaleKind, { ms, requests }: Pick<Attempt, "ms" | "requests">): void {
    this.add(`${kind} items`, 1);
    this.add(`${kind} item seconds`, ms / 1000);
    this.add(`${kind} item requests`, requests);
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
    this.#shareCpu();
    const sums = this.#sums;
    this.#sums = new Map();
    try {
      await report(Object.fromEntries(sums));
    } catch (error) {
      for (const [what, count] of sums) this.add(what, count);
      throw error;
    }
  }

  /** CPU time is reported with the items that ended in the same period, in proportion to their kinds. */
  #shareCpu(): void {
    const counts = SCALE_KINDS.map((kind) => [kind, this.#sums.get(`${kind} items`) ?? 0] as const);
    const all = counts.reduce((sum, [, count]) => sum + count, 0);
    if (all === 0) return;
    const spent = cpuSeconds() - this.#cpuSeconds;
    this.#cpuSeconds += spent;
    for (const [kind, count] of counts) this.add(`${kind} cpu seconds`, (spent * count) / all);
  }
}

/** Of this process, all threads. */
const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
