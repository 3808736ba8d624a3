import { setTimeout as delay } from "node:timers/promises";
import { ProblemError, type Removal as ApiRemoval, type SluiceClient } from "../../client.ts";
import type { Removal } from "../../domain/removal.ts";
import { RemovedJobError } from "../find-job.ts";
import type { PrunedPart, RemovingVerbs } from "./verbs.ts";

const LOOK_MS = 250;

/** Removals on a server, which deletes marked data by itself. */
export const remoteRemovals = (client: SluiceClient): RemovingVerbs => ({
  markRemoval: async (job, what) =>
    removalOfApi(await client.removeJob(job, what === "pages" ? { keep: "records" } : {})),
  async prune({ olderThanMs, keepsRecords, scraper }, isDry) {
    const parts: PrunedPart[] = [];
    for (let isMore = true; isMore;) {
      const pruned = await client.prune({
        dryRun: isDry,
        ...(olderThanMs !== undefined && { olderThanMs }),
        ...(keepsRecords && { keep: "records" }),
        ...(scraper !== undefined && { scraper }),
      });
      parts.push(...pruned.data.map((part) => ({ ...part, endedAt: Date.parse(part.endedAt) })));
      isMore = pruned.isMore;
    }
    return parts;
  },
  async finishRemoval(job, onProgress) {
    for (;;) {
      const removal = removalOfApi(await client.getRemoval(job));
      if (removal.isComplete) return removal;
      onProgress(removal);
      await delay(LOOK_MS);
    }
  },
  finishOthers: async () => {},
});

/** Throws for a job that the server has removed; returns if it never had it. */
export const refuseRemoved = async (client: SluiceClient, job: string, error: unknown): Promise<void> => {
  if (!(error instanceof ProblemError) || error.status !== 404) throw error;
  if (error.code !== "job-removed") return;
  throw new RemovedJobError(removalOfApi(await client.getRemoval(job)));
};

const removalOfApi = ({ createdAt, endedAt, removedAt, ...rest }: ApiRemoval): Removal => ({
  ...rest,
  createdAt: Date.parse(createdAt),
  endedAt: Date.parse(endedAt),
  removedAt: Date.parse(removedAt),
});
