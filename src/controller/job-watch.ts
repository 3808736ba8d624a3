import { type JobState, type JobView, workedCount } from "../model/job.ts";
import { RecentRate } from "../model/recent-rate.ts";
import type { Ledger } from "../ports/ledger.ts";
import { EventRing } from "./event-ring.ts";
import type { ControllerLog } from "./house.ts";
import { changesOf, glimpseOf, type JobGlimpse } from "./job-changes.ts";

interface Watched {
  glimpse: JobGlimpse;
  readonly rate: RecentRate;
}

const RATE_WINDOW_MS = 60_000;
/** Without listeners only the rates are kept. */
const IDLE_MS = 5000;
const PAGE = 100;
const MOST_JOBS = 2000;
const OPEN: readonly JobState[] = ["loading", "running", "paused"];

/**
 * Looks at the open jobs every second or so: how fast they are, and what has changed. Live events come from here and not from the outbox, which belongs to
 * the one controller that sends the webhooks: so every controller can serve listeners, and none takes an event from another.
 */
export class JobWatch implements Disposable {
  readonly events: EventRing;
  readonly #ledger: Ledger;
  readonly #log: ControllerLog;
  readonly #now: () => number;
  readonly #everyMs: number;
  readonly #jobs = new Map<string, Watched>();
  #isFirst = true;
  /** Of all jobs, at the last look. */
  #newest: JobView | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isStopped = false;

  constructor(ledger: Ledger, log: ControllerLog, now: () => number, everyMs: number) {
    this.#ledger = ledger;
    this.#log = log;
    this.#now = now;
    this.#everyMs = everyMs;
    this.events = new EventRing(now());
  }

  /** Items of a job that end each second, lately; over its whole life where it was not watched yet. */
  rateOf(view: JobView): number | undefined {
    const recent = this.#jobs.get(view.spec.id)?.rate.perSecond;
    if (recent !== undefined) return recent;
    const aliveMs = (view.endedAt ?? this.#now()) - view.createdAt;
    return aliveMs > 0 ? (workedCount(view) * 1000) / aliveMs : undefined;
  }

  /** Begins to look, and goes on until it is disposed of. */
  start(): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#looking ??= this.#look()
      .catch((error: unknown) => this.#log.warn("watch.failed", { error: String(error) }))
      .finally(() => {
        this.#looking = undefined;
        if (this.#isStopped) return;
        const waitMs = this.events.listeners > 0 ? this.#everyMs : Math.max(IDLE_MS, this.#everyMs);
        this.#timer = setTimeout(() => this.start(), waitMs).unref();
      });
  }

  async stop(): Promise<void> {
    this[Symbol.dispose]();
    await this.#looking;
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const seen = new Set<string>();
    // Also those that began and ended since the last look.
    const recent = await this.#ledger.listJobs({ limit: PAGE });
    const known = recent.findIndex(({ spec }) => spec.id === this.#newest?.spec.id);
    for (const view of recent.slice(0, known < 0 ? recent.length : known))
      if (!OPEN.includes(view.state)) this.#note(view);
    for await (const view of this.#openJobs()) {
      seen.add(view.spec.id);
      this.#note(view);
    }
    for (const id of this.#jobs.keys()) {
      if (seen.has(id)) continue;
      const view = await this.#ledger.readJob(id);
      if (view) this.#note(view);
      if (!view || !OPEN.includes(view.state)) this.#jobs.delete(id);
    }
    this.#newest = recent[0] ?? this.#newest;
    this.#isFirst = false;
  }

  async *#openJobs(): AsyncGenerator<JobView> {
    let after: string | undefined;
    for (let count = 0; count < MOST_JOBS; count += PAGE) {
      const page = await this.#ledger.listJobs({
        states: OPEN,
        limit: PAGE,
        ...(after !== undefined && { after }),
      });
      yield* page;
      if (page.length < PAGE) return;
      after = page.at(-1)!.spec.id;
    }
  }

  /** Of one that is not watched: as it ended, where it was retried since; undefined for one that began after the last look. */
  #glimpseBefore(view: JobView): JobGlimpse | undefined {
    const newest = this.#newest;
    const isNew = !newest || (view.createdAt >= newest.createdAt && view.spec.id !== newest.spec.id);
    return isNew ? undefined : { ...glimpseOf(view), state: "done" };
  }

  #note(view: JobView): void {
    const { id, client, scraper } = view.spec;
    const known = this.#jobs.get(id);
    const watched = known ?? { glimpse: glimpseOf(view), rate: new RecentRate(RATE_WINDOW_MS) };
    const at = this.#now();
    watched.rate.add(workedCount(view), at);
    // What was there before this process is not news.
    const changes = this.#isFirst ? [] : changesOf(known?.glimpse ?? this.#glimpseBefore(view), view);
    watched.glimpse = glimpseOf(view);
    this.#jobs.set(id, watched);
    const { state, counts } = view;
    for (const { type, facts } of changes)
      this.events.add({
        type,
        at,
        client,
        job: id,
        data: { job: id, client, scraper, state, counts, ...facts },
      });
  }
}
