import { z } from "zod";
import { keepJobFile, readJobFile } from "../../archive/journal.ts";
import { writeManifest } from "../../archive/manifest.ts";
import { BlobError, type Blobs } from "../../ports/blobs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { JobBackoff, runTask, type TaskTools } from "../run-task.ts";

interface ManifestOptions extends TaskTools {
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  /** Writes a job's manifest on another thread. */
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

/** Writes a job's manifest when the job ends, and again after a retry, so that the archive can be read without the ledger. */
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
    // Checked after writing: a removal in between has not seen the mark.
    if (!(await ledger.readJob(job))) await removeManifestMark(blobs, job);
  } catch (error) {
    // The error may come from another thread, and has lost its class.
    if (!(error instanceof Error && "code" in error && error.code === "job-removed")) throw error;
  }
};

/** Jobs that have ended and lack the manifest of that end. */
class EndWatch {
  readonly #options: ManifestOptions;
  /** Jobs that may have ended. */
  readonly #untold = new Set<string>();
  /** The last event seen; undefined before the first look at all jobs. */
  #seen: number | undefined;

  constructor(options: ManifestOptions) {
    this.#options = options;
  }

  /** The first time of all jobs, then of jobs in new events. */
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

/** The end of the job that its manifest describes: a retried job ends again. Written after the manifest. */
const markSchema = z.object({ endedAt: z.number() });

const nameOf = (job: string): string => `jobs/${job}/manifest-mark.json`;

/** The end of the job that its manifest describes; undefined if there is no readable mark. */
const readManifestMark = async (blobs: Blobs, job: string): Promise<number | undefined> => {
  try {
    const text = Buffer.from(await blobs.get(nameOf(job))).toString();
    return markSchema.safeParse(parsed(text)).data?.endedAt;
  } catch (error) {
    if (error instanceof BlobError && error.code === "not-found") return undefined;
    throw error;
  }
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const removeManifestMark = (blobs: Blobs, job: string): Promise<void> => blobs.remove(nameOf(job));

const writeManifestMark = async (blobs: Blobs, job: string, endedAt: number): Promise<void> => {
  await blobs.put(nameOf(job), Buffer.from(JSON.stringify({ endedAt })));
};
