import type { Blobs } from "../../ports/blobs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { JobBackoff, runTask, type TaskTools } from "../run-task.ts";

interface UpkeepOptions extends TaskTools {
  readonly ledger: Pick<Ledger, "listJobs">;
  readonly blobs: Blobs;
  readonly everyMs?: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const JOIN_EVERY_MS = 10 * 60_000;
const PAGE = 200;
/** For a job that has ended, even a few segments are joined. */
const LEAST_AT_END = 2;

/** Joins the small objects of jobs, if the store needs it: from time to time for running jobs, and once more for ended ones. */
export const runJoins = async (options: UpkeepOptions, signal: AbortSignal): Promise<void> => {
  const { ledger, blobs, now = Date.now, everyMs = JOIN_EVERY_MS } = options;
  const backoff = new JobBackoff((error) => options.report("joins", error));
  /** Ended jobs that need no further check. */
  const joined = new Map<string, number>();
  const run = async (stop: AbortSignal): Promise<void> => {
    for await (const { spec, endedAt } of recentJobs(ledger, now() - DAY_MS)) {
      if (stop.aborted) return;
      const { id } = spec;
      if (endedAt !== undefined && joined.get(id) === endedAt) continue;
      const least = endedAt === undefined ? {} : { least: LEAST_AT_END };
      const isDone = await backoff.try(
        id,
        async () => void (await blobs.join?.(id, { ...least, signal: stop })),
      );
      if (isDone && endedAt !== undefined && !stop.aborted) joined.set(id, endedAt);
    }
    for (const [id, endedAt] of joined) if (endedAt < now() - 2 * DAY_MS) joined.delete(id);
  };
  await runTask(options, { name: "joins", everyMs, run }, signal);
};

/** All running jobs, and those that ended since then. */
async function* recentJobs(ledger: UpkeepOptions["ledger"], since: number) {
  for (const query of [{ states: ["loading", "running", "paused"] as const }, { endedSince: since }]) {
    let after: string | undefined;
    do {
      const page = await ledger.listJobs({ ...query, limit: PAGE, ...(after !== undefined && { after }) });
      yield* page;
      after = page.length < PAGE ? undefined : page.at(-1)!.spec.id;
    } while (after !== undefined);
  }
}

/** Discards the parts of uploads that were never completed: they cost as much as other bytes, and nobody sees them. */
export const runAbandonedUploads = async (options: UpkeepOptions, signal: AbortSignal): Promise<void> => {
  const { blobs, everyMs = DAY_MS } = options;
  const run = async (): Promise<void> => void (await blobs.abortAbandoned?.(DAY_MS));
  await runTask(options, { name: "abandoned-uploads", everyMs, run }, signal);
};
