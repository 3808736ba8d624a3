import { StopError } from "../domain/failure.ts";
import type { ClaimedItem } from "../ports/ledger.ts";
import type { LoadedJob } from "../scrapers/load-pinned.ts";
import { ScraperLoadError } from "../scrapers/check-scraper.ts";
import type { WorkerOptions } from "./worker-options.ts";

/** A job whose scrapers cannot be loaded is held, with the reason, and its items go back; where nobody holds jobs, the error ends the worker. */
export const loadOrHold = async (
  { loadJob, holdJob, log }: Pick<WorkerOptions, "loadJob" | "holdJob" | "log">,
  { job, revision }: Pick<ClaimedItem, "job" | "revision">,
): Promise<LoadedJob> => {
  try {
    return await loadJob(job, revision);
  } catch (error) {
    if (!(error instanceof ScraperLoadError) || !holdJob) throw error;
    log.error("job held", { job, reason: error.message });
    await holdJob(job, error.message);
    throw new StopError(error.message);
  }
};
