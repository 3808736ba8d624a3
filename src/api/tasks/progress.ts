import type { JobView } from "../../domain/job.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { openJobs } from "../progress-watch.ts";
import { type TaskTools, runTask } from "../run-task.ts";

interface ProgressOptions extends TaskTools {
  readonly ledger: Pick<Ledger, "events" | "listJobs">;
  readonly everyMs?: number;
}

/** If the last look is older than this many rounds, another controller held the task in between. */
const STALE_ROUNDS = 5;

/**
 * Writes `job.progress` for running jobs that ask for it. The times are multiples of the job's interval since its start, so that they neither shift nor repeat
 * when another controller takes over.
 */
export const runProgress = async (options: ProgressOptions, signal: AbortSignal): Promise<void> => {
  const { ledger, everyMs = 1000, now = Date.now } = options;
  let lookedAt = now();
  const run = async (): Promise<void> => {
    const at = now();
    const sinceAt = at - lookedAt > STALE_ROUNDS * everyMs ? at - everyMs : lookedAt;
    lookedAt = at;
    const events = [];
    for await (const job of openJobs(ledger, { tellsProgress: true }))
      if (isDue(job, sinceAt, lookedAt)) events.push(progressOf(job));
    if (events.length > 0) await ledger.events.write(events);
  };
  await runTask(options, { name: "progress", everyMs, run }, signal);
};

const isDue = ({ spec, state, createdAt }: JobView, sinceAt: number, now: number): boolean => {
  const { progressMs } = spec;
  if (progressMs === undefined || progressMs <= 0 || state === "paused") return false;
  const passed = (at: number): number => Math.floor((at - createdAt) / progressMs);
  return passed(now) > Math.max(0, passed(sinceAt));
};

const progressOf = ({ spec, counts, partial, requests, bytes, held }: JobView) => ({
  type: "job.progress" as const,
  job: spec.id,
  facts: { counts, partial, requests, bytes, heldLanes: held.length },
});
