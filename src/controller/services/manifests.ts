import { keepJobFile, readJobFile } from "../../archive/journal.ts";
import { writeJobManifest } from "../../export/write-manifest.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { JobLedger } from "../../ports/ledger.ts";
import { readManifestMark, removeManifestMark, writeManifestMark } from "../manifest-mark.ts";
import { JobBackoff } from "../job-backoff.ts";
import { type DutyTools, runDuty } from "../run-duty.ts";

export interface ManifestOptions extends DutyTools {
  readonly ledger: JobLedger;
  readonly blobs: Blobs;
  /** Writes a job's manifest elsewhere than on this thread. */
  readonly keepManifest?: (job: string) => Promise<void>;
  readonly everyMs?: number;
}

/** One end of a job. */
interface JobEnd {
  readonly job: string;
  readonly endedAt: number;
}

const PAGE = 200;
/** By so much the ledger's clock may be set back, and no end is overlooked. */
const SET_BACK_MS = 60_000;

/** Writes a job's manifest when the job has ended, and again when it has after a retry, so that the archive can be read without the ledger. */
export const runManifests = async (options: ManifestOptions, signal: AbortSignal): Promise<void> => {
  const { everyMs = 2000 } = options;
  const watch = new EndWatch(options);
  const jobs = new JobBackoff((error) => options.report("manifests", error));
  const run = async (stop: AbortSignal): Promise<void> => {
    for await (const end of watch.untold()) {
      if (stop.aborted) return;
      if (await jobs.try(end.job, () => tell(options, end))) watch.told(end);
    }
  };
  await runDuty(options, { name: "manifests", everyMs, run }, signal);
};

const tell = async (stores: ManifestOptions, { job, endedAt }: JobEnd): Promise<void> => {
  const { ledger, blobs } = stores;
  try {
    await (stores.keepManifest ?? ((id) => writeJobManifest(stores, id)))(job);
    await writeManifestMark(blobs, job, endedAt);
    // Written, and then looked: whoever removed the job in between has not seen it.
    if (!(await ledger.readJob(job))) await removeManifestMark(blobs, job);
  } catch (error) {
    // It may come from another thread, where an error leaves its class behind.
    if (!(error instanceof Error && "code" in error && error.code === "job-removed")) throw error;
  }
};

/** Which jobs have ended without a manifest that says so. */
class EndWatch {
  readonly #options: ManifestOptions;
  /** When those that ended lately did, of which it is known that their manifest tells of it. */
  readonly #told = new Map<string, number>();
  /** All that ended before are told. */
  #sinceAt = 0;

  constructor(options: ManifestOptions) {
    this.#options = options;
  }

  /** Of all jobs the first time, then of those that have ended since. */
  async *untold(): AsyncGenerator<JobEnd> {
    let latest = this.#sinceAt;
    let untold = Infinity;
    for await (const end of this.#ends()) {
      latest = Math.max(latest, end.endedAt);
      if (await this.#isTold(end)) continue;
      yield end;
      if (this.#told.get(end.job) !== end.endedAt) untold = Math.min(untold, end.endedAt);
    }
    this.#sinceAt = Math.max(this.#sinceAt, Math.min(latest - SET_BACK_MS, untold));
    for (const [job, endedAt] of this.#told) if (endedAt < this.#sinceAt) this.#told.delete(job);
  }

  told({ job, endedAt }: JobEnd): void {
    this.#told.set(job, endedAt);
  }

  async *#ends(): AsyncGenerator<JobEnd> {
    const { ledger } = this.#options;
    let after: string | undefined;
    do {
      const page = await ledger.listJobs({
        endedSince: this.#sinceAt,
        limit: PAGE,
        ...(after !== undefined && { after }),
      });
      for (const { spec, endedAt } of page) yield { job: spec.id, endedAt: endedAt! };
      after = page.length < PAGE ? undefined : page.at(-1)!.spec.id;
    } while (after !== undefined);
  }

  async #isTold(end: JobEnd): Promise<boolean> {
    const { job, endedAt } = end;
    if (this.#told.get(job) === endedAt) return true;
    const { blobs } = this.#options;
    if ((await readManifestMark(blobs, job)) !== endedAt) return false;
    // Older versions did not write it.
    if (!(await readJobFile(blobs, job).catch(() => undefined)))
      await keepJobFile(this.#options, job, endedAt);
    this.told(end);
    return true;
  }
}
