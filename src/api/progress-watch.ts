import { endedCount } from "../domain/item.ts";
import { type JobState, type JobView, workedCount } from "../domain/job.ts";
import { RecentRate } from "../domain/recent-rate.ts";
import type { JobLedger, JobQuery, Ledger } from "../ports/ledger.ts";
import type { ControllerLog } from "./controller-context.ts";

interface Watched {
  readonly rate: RecentRate;
  readonly sinceAt: number;
}

const RATE_WINDOW_MS = 60_000;
/** Samples closer than this say little about the rate of a job. */
const SHORTEST_MS = 5000;
const MOST_JOBS = 2000;

/** The rates of jobs that somebody reads, and progress for listeners: items end without an event of their own. */
export class ProgressWatch implements Disposable {
  readonly #ledger: Pick<JobLedger, "listJobs">;
  readonly #log: ControllerLog;
  readonly #now: () => number;
  readonly #everyMs: number;
  /** In the order of last use. */
  readonly #rates = new Map<string, Watched>();
  readonly #listeners = new Set<(view: JobView) => void>();
  /** Ended and accepted items of each open job, while somebody listens. */
  #seen = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(ledger: Pick<JobLedger, "listJobs">, log: ControllerLog, now: () => number, everyMs: number) {
    this.#ledger = ledger;
    this.#log = log;
    this.#now = now;
    this.#everyMs = everyMs;
  }

  /** Items that end per second: recently if the job was sampled before, otherwise over its whole life. */
  rateOf(view: JobView): number | undefined {
    const at = this.#now();
    if (view.endedAt === undefined) {
      const { rate, sinceAt } = this.#sample(view, at);
      if (at - sinceAt >= SHORTEST_MS && rate.perSecond !== undefined) return rate.perSecond;
    }
    const aliveMs = (view.endedAt ?? at) - view.createdAt;
    return aliveMs > 0 ? (workedCount(view) * 1000) / aliveMs : undefined;
  }

  /** Calls the listener for each job whose counts changed; returns how to stop. */
  listen(listener: (view: JobView) => void): () => void {
    this.#listeners.add(listener);
    this.#start();
    return () => this.#listeners.delete(listener);
  }

  async stop(): Promise<void> {
    this[Symbol.dispose]();
    await this.#looking;
  }

  [Symbol.dispose](): void {
    this.#listeners.clear();
    clearTimeout(this.#timer);
  }

  #sample(view: JobView, at: number): Watched {
    const { id } = view.spec;
    const watched = this.#rates.get(id) ?? { rate: new RecentRate(RATE_WINDOW_MS), sinceAt: at };
    watched.rate.add(workedCount(view), at);
    this.#rates.delete(id);
    this.#rates.set(id, watched);
    if (this.#rates.size > MOST_JOBS) this.#rates.delete(this.#rates.keys().next().value!);
    return watched;
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#looking ??= this.#look()
      .catch((error: unknown) => this.#log.warn("watch.failed", { error: String(error) }))
      .finally(() => {
        this.#looking = undefined;
        if (this.#listeners.size > 0) this.#timer = setTimeout(() => this.#start(), this.#everyMs).unref();
        else this.#seen.clear();
      });
  }

  async #look(): Promise<void> {
    const seen = new Map<string, string>();
    for await (const view of openJobs(this.#ledger)) {
      const { id } = view.spec;
      const counts = `${endedCount(view.counts.states)} ${view.counts.accepted}`;
      seen.set(id, counts);
      this.#sample(view, this.#now());
      const before = this.#seen.get(id);
      if (before !== undefined && before !== counts) for (const listener of this.#listeners) listener(view);
    }
    this.#seen = seen;
  }
}

const OPEN: readonly JobState[] = ["loading", "running", "paused"];
const PAGE = 200;

/** Jobs of all clients that have not ended. */
export async function* openJobs(
  ledger: Pick<Ledger, "listJobs">,
  which: Pick<JobQuery, "states" | "tellsProgress" | "pausedBy"> = {},
): AsyncGenerator<JobView> {
  let after: string | undefined;
  for (;;) {
    const page = await ledger.listJobs({
      states: OPEN,
      ...which,
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.spec.id;
  }
}
