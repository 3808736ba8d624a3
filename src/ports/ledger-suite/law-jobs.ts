import assert from "node:assert/strict";
import type { FailureKind } from "../../domain/failure.ts";
import type { LedgerModel, ModelJob } from "./ledger-model.ts";
import { code, type Kit } from "./test-kit.ts";

export const sealJob = async ({ ledger }: Kit, job: ModelJob): Promise<void> => {
  await ledger.sealJob(job.id);
  job.isSealed = true;
  if (job.state === "loading") job.state = "running";
};

export const controlJob = async (
  { ledger }: Kit,
  model: LedgerModel,
  job: ModelJob,
  to: "pause" | "resume" | "cancel",
): Promise<void> => {
  const steer = () => ledger.controlJob(job.id, to);
  const isEnded = job.state === "cancelled" || (job.state === "done" && to !== "resume");
  if (isEnded) return await assert.rejects(steer, code("job-ended"));
  await steer();
  if (to === "cancel") model.cancel(job);
  else if (to === "pause") job.state = "paused";
  else if (job.state === "paused") job.state = job.isSealed ? "running" : "loading";
};

export const retryItems = async (
  { ledger }: Kit,
  model: LedgerModel,
  job: ModelJob,
  kinds: readonly FailureKind[] | undefined,
): Promise<void> => {
  const retry = () => ledger.retryItems(job.id, kinds ? { kinds } : {});
  if (job.state === "cancelled") return await assert.rejects(retry, code("job-ended"));
  assert.equal(await retry(), model.retry(job, kinds));
};

/** Each of its limits by so much; nothing is raised where all are 0, and the same limits again let nothing in. */
export const raiseCaps = async (
  { ledger }: Kit,
  model: LedgerModel,
  job: ModelJob,
  by: { readonly items: number; readonly depth: number; readonly chain: number },
): Promise<void> => {
  const caps = {
    maxItems: job.maxItems + by.items,
    maxDepth: job.maxDepth + by.depth,
    maxChain: job.maxChain + by.chain,
  };
  const raise = () => ledger.raiseCaps(job.id, caps);
  if (job.state === "cancelled") return await assert.rejects(raise, code("job-ended"));
  Object.assign(job, caps);
  assert.equal(await raise(), model.raise(job));
};
