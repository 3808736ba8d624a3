import { manifestName } from "../../archive/manifest.ts";
import { writeJobManifest } from "../../export/write-manifest.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { openJobs } from "../open-jobs.ts";
import { type DutyTools, runDuty } from "../run-duty.ts";

export interface ManifestOptions extends DutyTools {
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  readonly everyMs?: number;
}

const PAGE = 200;

/** Writes a job's manifest when the job has ended, and again when it has after a retry, so that the archive can be read without the ledger. */
export const runManifests = async (options: ManifestOptions, signal: AbortSignal): Promise<void> => {
  const { everyMs = 2000 } = options;
  const watch = new EndWatch(options);
  const run = async (stop: AbortSignal): Promise<void> => {
    for await (const job of watch.ended()) {
      if (stop.aborted) return;
      await writeJobManifest(options, job);
      watch.written(job);
    }
  };
  await runDuty(options, { name: "manifests", everyMs, run }, signal);
};

/** Which jobs have ended without a manifest that says so. */
class EndWatch {
  readonly #options: ManifestOptions;
  /** Seen before their end: a manifest that they have is of an earlier one. */
  readonly #open = new Set<string>();
  readonly #done = new Set<string>();
  #hasSeenAll = false;

  constructor(options: ManifestOptions) {
    this.#options = options;
  }

  /** The newest first. After the first time, only jobs that were open, and the newest: one may begin and end between two looks. */
  async *ended(): AsyncGenerator<string> {
    const { ledger } = this.#options;
    const open = new Set<string>();
    for await (const { spec } of openJobs(ledger)) open.add(spec.id);
    for (const id of open) this.#done.delete(id);
    yield* [...this.#open].filter((id) => !open.has(id));
    for (const id of open) this.#open.add(id);
    let after: string | undefined;
    do {
      const page = await ledger.listJobs({
        states: ["done", "cancelled"],
        limit: PAGE,
        ...(after !== undefined && { after }),
      });
      for (const { spec } of page) if (!(await this.#hasManifest(spec.id))) yield spec.id;
      after = page.length < PAGE ? undefined : page.at(-1)!.spec.id;
    } while (after !== undefined && !this.#hasSeenAll);
    this.#hasSeenAll = true;
  }

  written(job: string): void {
    this.#open.delete(job);
    this.#done.add(job);
  }

  async #hasManifest(job: string): Promise<boolean> {
    if (this.#done.has(job)) return true;
    for await (const { name } of this.#options.blobs.list(manifestName(job)))
      if (name === manifestName(job)) {
        this.#done.add(job);
        return true;
      }
    return false;
  }
}
