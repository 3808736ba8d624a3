import { setImmediate } from "node:timers/promises";
import { FAILURE_KINDS, type FailureKind } from "../../domain/failure.ts";
import { ITEM_STATES, type ItemState } from "../../domain/item.ts";
import type { JobState, JobSums, JobView, LaneState } from "../../domain/job.ts";
import { FIELD_STATUSES, type FieldStatus } from "../../domain/record.ts";
import type { Ledger } from "../../ports/ledger.ts";

/** Most looks find only a few new jobs. */
const FIRST_PAGE = 10;
const PAGE = 200;
/** Clients can register any number of scrapers. */
const MOST_SCRAPERS = 1000;

type TotalsLedger = Pick<Ledger, "listJobs" | "readJob" | "sumOpenJobs">;

/**
 * Sums over all jobs, past and present. The ledger sums open jobs; an ended job is read once, so that the cost of a look does not depend on the number of
 * jobs. A job that was retried and ended again between two looks keeps its earlier figures.
 */
export class JobTotals {
  readonly #ledger: TotalsLedger;
  /** By ended job. */
  readonly #ended = new Map<string, JobTally>();
  readonly #totals = new Map<TallyName, number>();
  #open = new Set<string>();
  #openTallies: readonly JobTally[] = [];
  #newest: string | undefined;
  readonly #successes = new Map<string, number>();

  constructor(ledger: TotalsLedger) {
    this.#ledger = ledger;
  }

  get(name: TallyName): number {
    return this.#totals.get(name) ?? 0;
  }

  /** By scraper, when a job of it without a schedule last ended with something good. */
  successes(): ReadonlyMap<string, number> {
    return this.#successes;
  }

  async look(): Promise<void> {
    const { ids, sums } = await this.#ledger.sumOpenJobs();
    const open = new Set(ids);
    for (const tally of this.#openTallies) this.#add(tally, -1);
    this.#openTallies = sums.map(jobTally);
    for (const tally of this.#openTallies) this.#add(tally, 1);
    for (const id of open) this.#forgetEnded(id);
    for (const id of this.#open) {
      if (open.has(id)) continue;
      const view = await this.#ledger.readJob(id);
      if (view) this.#noteEnded(view);
    }
    await this.#noteNew(open);
    this.#open = open;
  }

  /** Down to the newest job of the last look: a job may have started and ended since then. */
  async #noteNew(open: ReadonlySet<string>): Promise<void> {
    let newest: string | undefined;
    let after: string | undefined;
    for (let limit = FIRST_PAGE; ; limit = PAGE) {
      const page = await this.#ledger.listJobs({ limit, ...(after !== undefined && { after }) });
      newest ??= page[0]?.spec.id;
      const known = page.findIndex(({ spec }) => spec.id === this.#newest);
      for (const view of known < 0 ? page : page.slice(0, known))
        if (!open.has(view.spec.id) && !this.#ended.has(view.spec.id)) this.#noteEnded(view);
      if (known >= 0 || page.length < limit) break;
      after = page.at(-1)!.spec.id;
      await yieldToRequests();
    }
    this.#newest = newest;
  }

  #noteEnded(view: JobView): void {
    this.#forgetEnded(view.spec.id);
    const tally = jobTally({ ...view, jobs: 1, held: view.held.length });
    this.#add(tally, 1);
    this.#ended.set(view.spec.id, tally);
    this.#noteSuccess(view);
  }

  #noteSuccess({ spec, state, counts, endedAt }: JobView): void {
    const { done, absent, skipped } = counts.states;
    if (state !== "done" || endedAt === undefined || spec.firing || done + absent + skipped === 0) return;
    const known = this.#successes.get(spec.scraper) ?? 0;
    this.#successes.delete(spec.scraper);
    this.#successes.set(spec.scraper, Math.max(known, endedAt));
    // The one that was noted longest ago.
    if (this.#successes.size > MOST_SCRAPERS) this.#successes.delete(this.#successes.keys().next().value!);
  }

  #forgetEnded(id: string): void {
    const tally = this.#ended.get(id);
    if (!tally) return;
    this.#add(tally, -1);
    this.#ended.delete(id);
  }

  #add(tally: JobTally, sign: 1 | -1): void {
    for (const [name, count] of Object.entries(tally))
      this.#totals.set(name as TallyName, this.get(name as TallyName) + sign * count);
  }
}

export const JOB_STATES: readonly JobState[] = ["loading", "running", "paused", "done", "cancelled"];
export const INPUT_FATES = ["accepted", "folded", "rejected", "capped"] as const;

/** The figures that are summed over jobs. */
export type TallyName =
  | `jobs ${JobState}`
  | `items ${ItemState}`
  | `depth ${JobState}`
  | `inputs ${(typeof INPUT_FATES)[number]}`
  | `attempts ${"done" | "absent" | FailureKind}`
  | `failed ${FailureKind}`
  | `fields ${FieldStatus}`
  | "partial"
  | "requests"
  | "bytes"
  | "held";

/** Zeros are left out. */
type JobTally = Readonly<Partial<Record<TallyName, number>>>;

/** The contribution of one job, or of several. */
const jobTally = (sums: JobSums): JobTally => {
  const { state, counts, failures, attemptFailures, fieldCounts } = sums;
  const { states } = counts;
  const tally: Partial<Record<TallyName, number>> = {};
  const put = (name: TallyName, count: number): void => void (count !== 0 && (tally[name] = count));
  put(`jobs ${state}`, sums.jobs);
  put(`depth ${state}`, states.queued + states.waiting);
  for (const item of ITEM_STATES) put(`items ${item}`, states[item]);
  for (const fate of INPUT_FATES) put(`inputs ${fate}`, counts[fate]);
  put("attempts done", states.done);
  put("attempts absent", states.absent);
  for (const kind of FAILURE_KINDS) put(`attempts ${kind}`, attemptFailures[kind] ?? 0);
  for (const { kind, count } of failures) put(`failed ${kind}`, count);
  for (const [place, status] of FIELD_STATUSES.entries())
    put(`fields ${status}`, everyFourth(fieldCounts, place));
  put("partial", sums.partial);
  put("requests", sums.requests);
  put("bytes", sums.bytes);
  put("held", sums.held);
  return tally;
};

const everyFourth = (counts: readonly number[], from: number): number => {
  let sum = 0;
  for (let i = from; i < counts.length; i += FIELD_STATUSES.length) sum += counts[i]!;
  return sum;
};

/** The ledger answers without leaving the event loop: between pages, requests of clients get their turn. */
const yieldToRequests = async (): Promise<void> => {
  await setImmediate();
};

/** There are as many lanes as sites: only this many get their own series. */
const MOST_LANES = 50;

/** Lanes by obstacle; a lane may count several times. */
export interface LaneTotals {
  readonly all: number;
  readonly busy: number;
  /** Held for a while, by `Retry-After` or by learned limits. */
  readonly spared: number;
  readonly heldByOperator: number;
  readonly slowed: number;
  /** Busiest first. */
  readonly busiest: readonly LaneState[];
}

export const laneTotals = async (ledger: Pick<Ledger, "listLanes">): Promise<LaneTotals> => {
  const totals = { all: 0, busy: 0, spared: 0, heldByOperator: 0, slowed: 0 };
  let busiest: LaneState[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await ledger.listLanes({ limit: PAGE, ...(after !== undefined && { after }) });
    totals.all += page.length;
    for (const { backlog, holdMs, isHeldByOperator, factor } of page) {
      if (backlog > 0) totals.busy++;
      if (holdMs > 0) totals.spared++;
      if (isHeldByOperator) totals.heldByOperator++;
      if (factor < 1) totals.slowed++;
    }
    busiest = [...busiest, ...page.filter(({ backlog }) => backlog > 0)]
      .sort((a, b) => b.backlog - a.backlog)
      .slice(0, MOST_LANES);
    if (page.length < PAGE) return { ...totals, busiest };
    after = page.at(-1)!.lane;
    await yieldToRequests();
  }
};
