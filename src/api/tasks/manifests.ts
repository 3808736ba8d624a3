import { keepJobFile, readJobFile } from "../../archive/journal.ts";
import { writeManifest } from "../../archive/manifest.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { JobBackoff } from "../job-backoff.ts";
import { readManifestMark, removeManifestMark, writeManifestMark } from "../manifest-mark.ts";
import { runTask, type TaskTools } from "../run-task.ts";

interface ManifestOptions extends TaskTools {
  readonly ledger: Ledger;
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
const ENDS = ["job.completed", "job.cancelled"] as const;

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
  await runTask(options, { name: "manifests", everyMs, run }, signal);
};

const tell = async (stores: ManifestOptions, { job, endedAt }: JobEnd): Promise<void> => {
  const { ledger, blobs } = stores;
  try {
    await (stores.keepManifest ?? ((id) => writeManifest(stores, id)))(job);
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
  /** Jobs that may have ended. */
  readonly #untold = new Set<string>();
  /** The last event that was looked at; undefined before all jobs were. */
  #seen: number | undefined;

  constructor(options: ManifestOptions) {
    this.#options = options;
  }

  /** Of all jobs the first time, then of those that the log of events names. */
  async *untold(): AsyncGenerator<JobEnd> {
    if (this.#seen === undefined) await this.#findAll();
    else await this.#findNew(this.#seen);
    for (const job of this.#untold) {
      const endedAt = (await this.#options.ledger.readJob(job))?.endedAt;
      if (endedAt == null || (await this.#isTold({ job, endedAt }))) this.#untold.delete(job);
      else yield { job, endedAt };
    }
  }

  told({ job }: JobEnd): void {
    this.#untold.delete(job);
  }

  async #findAll(): Promise<void> {
    const { ledger } = this.#options;
    const last = await ledger.events.last();
    let after: string | undefined;
    do {
      const page = await ledger.listJobs({
        endedSince: 0,
        limit: PAGE,
        ...(after !== undefined && { after }),
      });
      for (const { spec } of page) this.#untold.add(spec.id);
      after = page.length < PAGE ? undefined : page.at(-1)!.spec.id;
    } while (after !== undefined);
    this.#seen = last;
  }

  async #findNew(seen: number): Promise<void> {
    const { events } = this.#options.ledger;
    let page;
    do {
      page = await events.read({ after: seen, types: ENDS, limit: PAGE });
      for (const { job } of page) this.#untold.add(job);
      seen = page.at(-1)?.id ?? seen;
    } while (page.length === PAGE);
    this.#seen = seen;
  }

  async #isTold({ job, endedAt }: JobEnd): Promise<boolean> {
    const { blobs } = this.#options;
    if ((await readManifestMark(blobs, job)) !== endedAt) return false;
    // Older versions did not write it.
    if (!(await readJobFile(blobs, job).catch(() => undefined)))
      await keepJobFile(this.#options, job, endedAt);
    return true;
  }
}
