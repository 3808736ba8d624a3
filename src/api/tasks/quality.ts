import type { Blobs } from "../../ports/blobs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { notify } from "../../pipeline/notify.ts";
import { noteQuality, renewPriors } from "../../services/quality.ts";
import { JobBackoff, runTask, type TaskTools } from "../run-task.ts";

interface QualityOptions extends TaskTools {
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  readonly everyMs?: number;
}

/** The name of this reader of the event log. */
const CONSUMER = "quality";

/** Measures the quality of each job when it ends, and compares it with earlier runs. */
export const runQuality = async (options: QualityOptions, signal: AbortSignal): Promise<void> => {
  const { ledger, everyMs = 2000, now = Date.now } = options;
  const jobs = new JobBackoff((error) => options.report("quality", error));
  /** Ended, and not measured yet: a job that fails is tried again. */
  const due = new Set<string>();
  let isFirst = true;
  const run = async (stop: AbortSignal): Promise<void> => {
    // The cursor may be past jobs that the previous controller did not process.
    if (isFirst) for (const id of await endedSince(ledger, now() - WEEK_MS)) due.add(id);
    isFirst = false;
    await notify(ledger.events, { consumer: CONSUMER, types: ["job.completed"] }, (events) => {
      for (const { job } of events) due.add(job);
    });
    for (const job of due) {
      if (stop.aborted) return;
      if (await jobs.try(job, async () => void (await noteQuality(options, job)))) due.delete(job);
    }
    await renewPriors(options, now());
  };
  await runTask(options, { name: "quality", everyMs, run }, signal);
};

const WEEK_MS = 7 * 86_400_000;
const PAGE = 500;

/** Oldest first: a run is compared with earlier runs. */
const endedSince = async (ledger: Ledger, since: number): Promise<readonly string[]> => {
  const jobs = await ledger.listJobs({ states: ["done"], endedSince: since, limit: PAGE });
  return jobs.toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0)).map(({ spec }) => spec.id);
};
