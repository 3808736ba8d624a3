import type { JobView } from "../../domain/job.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { giveWay } from "./give-way.ts";
import { type JobTally, jobTally, type TallyName } from "./job-tally.ts";

/** Most looks find a few new jobs at most. */
const FIRST_PAGE = 10;
const PAGE = 200;

type TotalsLedger = Pick<Ledger, "listJobs" | "readJob" | "sumOpenJobs">;

/**
 * Sums over all jobs that there ever were. Open ones are summed by the ledger; one that has ended is read once, so that a look costs the same
 * however many jobs there are. A job that was retried and ended again between two looks is seen as it was before.
 */
export class JobTotals {
  readonly #ledger: TotalsLedger;
  /** Of jobs that have ended. */
  readonly #ended = new Map<string, JobTally>();
  readonly #totals = new Map<TallyName, number>();
  #open = new Set<string>();
  #openTallies: readonly JobTally[] = [];
  #newest: string | undefined;

  constructor(ledger: TotalsLedger) {
    this.#ledger = ledger;
  }

  get(name: TallyName): number {
    return this.#totals.get(name) ?? 0;
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

  /** Down to the newest of the last look: one may have begun and ended since then. */
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
      await giveWay();
    }
    this.#newest = newest;
  }

  #noteEnded(view: JobView): void {
    this.#forgetEnded(view.spec.id);
    const tally = jobTally({ ...view, jobs: 1, held: view.held.length });
    this.#add(tally, 1);
    this.#ended.set(view.spec.id, tally);
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
