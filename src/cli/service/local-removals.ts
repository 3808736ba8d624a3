import type { Storage } from "../../compose.ts";
import type { Removal } from "../../domain/removal.ts";
import { finishRemoval, finishRemovals, storedBytes } from "../../retention/finish-removals.ts";
import { markDue, planPrune } from "../../retention/plan-prune.ts";
import { retentionNow } from "../../scrapers/load-pinned.ts";
import { removeJobLog } from "../../worker/log.ts";
import { reapDead } from "../actions/supervise-job.ts";
import type { PrunedPart, RemovingVerbs } from "./verbs.ts";

/** Removing what a data folder on this machine has. */
export const localRemovals = ({ data, ledger, blobs }: Storage): RemovingVerbs => {
  const tools = { ledger, blobs, removeLog: (job: string) => removeJobLog(data, job) };
  return {
    async markRemoval(job, what) {
      await reapDead(ledger);
      return await ledger.removals.mark(job, what);
    },
    async prune(wish, isDry) {
      await reapDead(ledger);
      // All of them first: pages of jobs do not fit each other when jobs go in between.
      const plan = await Array.fromAsync(planPrune({ ledger, retentionOf: retentionNow() }, wish));
      const parts: PrunedPart[] = [];
      for (const part of plan) {
        if (isDry) parts.push({ ...part, bytes: await storedBytes(blobs, part.job, part.what) });
        else if (await markDue(ledger, part)) parts.push(part);
      }
      return parts;
    },
    async finishRemoval(job, onProgress) {
      await finishRemoval({ ...tools, onProgress }, job);
      return (await ledger.removals.read(job))!;
    },
    async finishOthers(onRemoved: (removal: Removal) => void) {
      await finishRemovals({ ...tools, onRemoved });
    },
  };
};
