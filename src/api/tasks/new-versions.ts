import { availableParallelism } from "node:os";
import { ReextractError } from "../../archive/extractions.ts";
import type { JobView } from "../../domain/job.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import type { StorageLocation } from "../../ports/storage.ts";
import { amendJob } from "../../reextract/amend-job.ts";
import { ScraperLoadError } from "../../scrapers/check-scraper.ts";
import { openJobs } from "../progress-watch.ts";
import { JobBackoff, runTask, type TaskTools } from "../run-task.ts";

interface NewVersionOptions extends TaskTools {
  readonly location: StorageLocation;
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  readonly everyMs?: number;
}

/** Reads the stored pages of jobs that continue with a new version of their scrapers, then resumes them. If that fails, the job stays paused with the reason. */
export const runNewVersions = async (options: NewVersionOptions, signal: AbortSignal): Promise<void> => {
  const { ledger, everyMs = 1000 } = options;
  // One core is left for the requests that this process answers.
  const cores = Math.max(1, Math.min(4, availableParallelism() - 1));
  const read = async (view: JobView, stop: AbortSignal): Promise<void> => {
    try {
      await amendJob(options, view, { cores, signal: stop });
    } catch (error) {
      const isTheirs = error instanceof ReextractError || error instanceof ScraperLoadError;
      if (!isTheirs || stop.aborted) throw error;
      return await ledger.controlJob(view.spec.id, "pause", { cause: "scraper", reason: error.message });
    }
    await ledger.controlJob(view.spec.id, "resume");
  };
  const jobs = new JobBackoff((error) => options.report("new-versions", error));
  const run = async (stop: AbortSignal): Promise<void> => {
    for await (const view of openJobs(ledger, { states: ["paused"], pausedBy: "new-version" })) {
      if (stop.aborted) return;
      await jobs.try(view.spec.id, () => read(view, stop));
    }
  };
  await runTask(options, { name: "new-versions", everyMs, run }, signal);
};
