import type { Blobs } from "../../ports/blobs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { LOCAL_ACTOR } from "../../services/context.ts";
import { listDatasets, noteLate } from "../../services/datasets.ts";
import { pruneReleases } from "../../services/releases.ts";
import { JobBackoff, runTask, type TaskTools } from "../run-task.ts";

interface ReleaseOptions extends TaskTools {
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  readonly everyMs?: number;
  /** How often releases are checked against what their datasets keep. */
  readonly pruneEveryMs?: number;
}

const HOUR_MS = 3_600_000;

/** Reports once when the release of a dataset is late, and removes releases that are no longer kept. */
export const runReleases = async (options: ReleaseOptions, signal: AbortSignal): Promise<void> => {
  const { ledger, blobs, everyMs = 60_000, pruneEveryMs = HOUR_MS, now = Date.now } = options;
  const context = { ledger, blobs, now };
  const backoff = new JobBackoff((error) => options.report("releases", error));
  let pruneAt = 0;
  const run = async (stop: AbortSignal): Promise<void> => {
    const isPruning = performance.now() >= pruneAt;
    for (const dataset of await listDatasets(context, LOCAL_ACTOR)) {
      if (stop.aborted) return;
      await noteLate(context, dataset.name);
      if (isPruning)
        await backoff.try(dataset.name, async () => void (await pruneReleases(context, dataset)));
    }
    if (isPruning) pruneAt = performance.now() + pruneEveryMs;
  };
  await runTask(options, { name: "releases", everyMs, run }, signal);
};
