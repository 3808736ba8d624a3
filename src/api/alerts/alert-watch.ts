import { readPage } from "../../pipeline/notify.ts";
import {
  type AlertRules,
  beginMemory,
  type JobMemory,
  longestWindow,
  markOf,
  remember,
  type WatchedJob,
} from "../../domain/alert-rules.ts";
import type { JobView } from "../../domain/job.ts";
import { FIELD_STATUSES } from "../../domain/record.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { openJobs } from "../open-jobs.ts";

interface Memory {
  readonly job: JobMemory;
  readonly earlier: readonly number[] | undefined;
}

/** How the log knows alerts. */
const CONSUMER = "alerts";
/** That one look takes; the next one goes on. */
const MOST_ENDS = 500;

export type WatchedLedger = Pick<Ledger, "events" | "listJobs" | "readJob">;

/**
 * Looks at jobs now and then and remembers how they were. Its memory is its own: a controller that takes over knows no more than it sees, and rules
 * that need more leave alerts as they are until it does.
 */
export class AlertWatch {
  readonly #ledger: WatchedLedger;
  readonly #windowSize: number;
  #known = new Map<string, Memory>();
  #lookedAt: number;
  /** Where a watch begins that is the first: what ended before is no news. */
  #newAt: number | undefined;
  #upTo = 0;

  constructor(ledger: WatchedLedger, rules: AlertRules, now: number) {
    this.#ledger = ledger;
    this.#windowSize = longestWindow(rules);
    this.#lookedAt = now;
  }

  /** All jobs that run or pause, and, one last time, those that have ended since the last look. */
  async look(now: number): Promise<WatchedJob[]> {
    this.#newAt ??= await this.#ledger.events.last();
    const known = new Map<string, Memory>();
    const watched: WatchedJob[] = [];
    for await (const view of openJobs(this.#ledger)) {
      const memory = await this.#remember(view, now);
      known.set(view.spec.id, memory);
      watched.push({ view, memory: memory.job, earlier: memory.earlier });
    }
    // After those that run: one that ends in between is seen twice, and none is not seen.
    for (const id of await this.#ended(this.#newAt)) {
      const view = await this.#ledger.readJob(id);
      if (view?.state !== "done") continue;
      const { job, earlier } = await this.#remember(view, now);
      watched.push({ view, memory: job, earlier });
    }
    this.#known = known;
    this.#lookedAt = now;
    return watched;
  }

  /** What was seen need not be seen again, by another controller neither. */
  async moveOn(): Promise<void> {
    await this.#ledger.events.move(CONSUMER, this.#upTo);
  }

  async #ended(after: number): Promise<ReadonlySet<string>> {
    const ends = { consumer: CONSUMER, after, types: ["job.completed"], limit: MOST_ENDS } as const;
    const { events, upTo } = await readPage(this.#ledger.events, ends);
    this.#upTo = upTo;
    return new Set(events.map(({ job }) => job));
  }

  async #remember(view: JobView, now: number): Promise<Memory> {
    const mark = markOf(view);
    const known = this.#known.get(view.spec.id);
    if (known) return { ...known, job: remember(known.job, mark, this.#windowSize, now) };
    const isFromStart = view.createdAt >= this.#lookedAt || mark.ended <= this.#windowSize;
    return { job: beginMemory(mark, isFromStart, now), earlier: await this.#earlierCounts(view) };
  }

  /** Of the client's last job with this scraper; its fields may have stood in another order. */
  async #earlierCounts({ spec, createdAt }: JobView): Promise<readonly number[] | undefined> {
    const { client, scraper } = spec;
    const jobs = await this.#ledger.listJobs({ client, scraper, states: ["done"], limit: 10 });
    const earlier = jobs.find((job) => job.spec.id !== spec.id && job.createdAt <= createdAt);
    return (
      earlier &&
      spec.fields.flatMap((field) => {
        const at = earlier.spec.fields.indexOf(field);
        return FIELD_STATUSES.map((_, status) =>
          at < 0 ? 0 : (earlier.fieldCounts[at * FIELD_STATUSES.length + status] ?? 0),
        );
      })
    );
  }
}
