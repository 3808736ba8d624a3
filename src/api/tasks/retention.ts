import type { JobView } from "../../domain/job.ts";
import type { Removal, Retention } from "../../domain/removal.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { finishRemovals } from "../../retention/finish-removals.ts";
import { markDue, planPrune } from "../../retention/plan-prune.ts";
import { runTask, type TaskTools } from "../run-task.ts";

interface RetentionOptions extends TaskTools {
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  readonly retentionOf: () => (view: JobView) => Promise<Retention | undefined>;
  readonly removeLog: (job: string) => Promise<void>;
  readonly onRemoved: (removal: Removal) => void;
  /** How often marked data is deleted. */
  readonly everyMs?: number;
  /** How often jobs are checked against the retention of their scrapers. */
  readonly planEveryMs?: number;
}

const HOUR_MS = 3_600_000;

/** Deletes data that is marked for removal, and marks data that is due by the retention of the scrapers. */
export const runRetention = async (options: RetentionOptions, signal: AbortSignal): Promise<void> => {
  const { ledger, blobs, removeLog, onRemoved, everyMs = 1000, planEveryMs = HOUR_MS } = options;
  let planAt = 0;
  const run = async (stop: AbortSignal): Promise<void> => {
    if (performance.now() >= planAt) {
      await markAll(options, stop);
      planAt = performance.now() + planEveryMs;
    }
    await finishRemovals({ ledger, blobs, removeLog, onRemoved, signal: stop });
  };
  await runTask(options, { name: "retention", everyMs, run }, signal);
};

const markAll = async ({ ledger, retentionOf, now }: RetentionOptions, stop: AbortSignal): Promise<void> => {
  const tools = { ledger, retentionOf: retentionOf(), ...(now && { now }) };
  for await (const part of planPrune(tools, {})) {
    if (stop.aborted) return;
    await markDue(ledger, part);
  }
};

interface TidyOptions extends TaskTools {
  readonly ledger: Pick<Ledger, "tidy">;
  readonly everyMs?: number;
}

/** The ledger's housekeeping, which workers leave to others because it would delay their slot timers. */
export const runTidy = async (options: TidyOptions, signal: AbortSignal): Promise<void> => {
  const { ledger, everyMs = 1000 } = options;
  await runTask(options, { name: "tidy", everyMs, run: () => ledger.tidy() }, signal);
};
