import { availableParallelism } from "node:os";
import type { Blobs } from "../../ports/blobs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import type { StorageLocation } from "../../ports/storage.ts";
import { amendJob } from "../../reextract/amend-job.ts";
import { canariesToDo, finishCanary, judgeNews } from "../../services/canaries.ts";
import { runTask, type TaskTools } from "../run-task.ts";

interface CanaryOptions extends TaskTools {
  readonly location: StorageLocation;
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  readonly everyMs?: number;
}

/**
 * Evaluates canaries after each batch of ended items, and rolls them back or promotes them. After a rollback, the canary's items
 * are extracted again from stored pages with the previous version.
 */
export const runCanaries = async (options: CanaryOptions, signal: AbortSignal): Promise<void> => {
  const { ledger, everyMs = 500, now = Date.now, report } = options;
  // One core is left for the requests that this process answers.
  const cores = Math.max(1, Math.min(4, availableParallelism() - 1));
  const run = async (stop: AbortSignal): Promise<void> => {
    for (const [scraper, version] of await canariesToDo({ ledger })) {
      if (stop.aborted) return;
      try {
        await judgeNews({ ledger, now }, scraper, version, Math.random);
        await finishCanary({ ledger }, scraper, version, async (job, takenBack) => {
          await amendJob(options, (await ledger.readJob(job))!, { cores, signal: stop, takenBack });
        });
      } catch (error) {
        if (stop.aborted) throw error;
        report(`canaries: ${scraper}`, error);
      }
    }
  };
  await runTask(options, { name: "canaries", everyMs, run }, signal);
};
