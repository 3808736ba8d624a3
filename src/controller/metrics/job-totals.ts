import type { JobView } from "../../model/job.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { openJobs } from "../open-jobs.ts";
import { giveWay } from "./give-way.ts";
import { type JobTally, jobTally, type TallyName } from "./job-tally.ts";

const PAGE = 200;

/**
 * Sums over all jobs that there ever were. All of them are read once; from then on only those that are open, were open the last time, or are
 * new, so that a look costs the same however many have ended. A job that was retried and ended again between two looks is seen as it was before.
 */
export class JobTotals {
  readonly #ledger: Pick<Ledger, "listJobs" | "readJob">;
  readonly #tallies = new Map<string, JobTally>();
  readonly #totals = new Map<TallyName, number>();
  #open = new Set<string>();
  #newest: string | undefined;

  constructor(ledger: Pick<Ledger, "listJobs" | "readJob">) {
    this.#ledger = ledger;
  }

  get(name: TallyName): number {
    return this.#totals.get(name) ?? 0;
  }

  async look(): Promise<void> {
    const open = new Set<string>();
    for await (const view of openJobs(this.#ledger)) {
      open.add(view.spec.id);
      this.#note(view);
    }
    for (const id of this.#open) {
      if (open.has(id)) continue;
      const view = await this.#ledger.readJob(id);
      if (view) this.#note(view);
    }
    await this.#noteNew();
    this.#open = open;
  }

  /** Down to the newest of the last look: one may have begun and ended since then. */
  async #noteNew(): Promise<void> {
    let newest: string | undefined;
    let after: string | undefined;
    for (;;) {
      const page = await this.#ledger.listJobs({ limit: PAGE, ...(after !== undefined && { after }) });
      newest ??= page[0]?.spec.id;
      const known = page.findIndex(({ spec }) => spec.id === this.#newest);
      for (const view of known < 0 ? page : page.slice(0, known))
        if (!this.#tallies.has(view.spec.id)) this.#note(view);
      if (known >= 0 || page.length < PAGE) break;
      after = page.at(-1)!.spec.id;
      await giveWay();
    }
    this.#newest = newest;
  }

  #note(view: JobView): void {
    const { id } = view.spec;
    const tally = jobTally(view);
    this.#add(this.#tallies.get(id) ?? {}, -1);
    this.#add(tally, 1);
    this.#tallies.set(id, tally);
  }

  #add(tally: JobTally, sign: 1 | -1): void {
    for (const [name, count] of Object.entries(tally))
      this.#totals.set(name as TallyName, this.get(name as TallyName) + sign * count);
  }
}
