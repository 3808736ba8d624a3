import { isoTime } from "../domain/iso-time.ts";
import type { Removal, RemovalScope } from "../domain/removal.ts";
import { storedBytes } from "../retention/finish-removals.ts";
import {
  type DuePart,
  markDue,
  planPrune,
  type PruneTools,
  type PruneFilter,
} from "../retention/plan-prune.ts";
import type { DueRemoval, Removal as RemovalAnswer } from "../schemas/removal.ts";
import { type Actor, mayRead, type ServiceContext } from "./context.ts";
import { findJob } from "./jobs.ts";
import { Problem } from "./problem.ts";

type Removals = Pick<ServiceContext, "ledger">;

/** Anyone who could read the job can read the record of its removal. */
const findRemoved = async ({ ledger }: Removals, actor: Actor, job: string): Promise<Removal | undefined> => {
  const removal = await ledger.removals.read(job);
  return removal?.what === "job" && mayRead(actor, removal.client) ? removal : undefined;
};

/** Nothing of the job, or of its pages, can be read after this; the data is deleted later. Removing it again changes nothing. */
export const removeJob = async (
  context: Removals,
  actor: Actor,
  job: string,
  what: RemovalScope,
): Promise<Removal> => {
  const known = await findRemoved(context, actor, job);
  if (known) return known;
  await findJob(context, actor, job);
  return await context.ledger.removals.mark(job, what);
};

export const readRemoval = async (context: Removals, actor: Actor, job: string): Promise<Removal> => {
  const known = await findRemoved(context, actor, job);
  if (known) return known;
  await findJob(context, actor, job);
  const removal = await context.ledger.removals.read(job);
  if (!removal) throw new Problem("not-found", `${job}: nothing of this job was removed.`);
  return removal;
};

export const removalView = ({ createdAt, endedAt, removedAt, ...rest }: Removal): RemovalAnswer => ({
  ...rest,
  createdAt: isoTime(createdAt),
  endedAt: isoTime(endedAt),
  removedAt: isoTime(removedAt),
});

/** `bytes`: its size, in a dry run. */
type PrunedPart = DuePart & { readonly bytes?: number };

const pinnedRetention: PruneTools["retentionOf"] = async ({ spec }) => spec.retention;

/**
 * Marks what is due for removal, or only reports it. `most` limits the jobs of one call, because each is marked in a separate
 * transaction; the plan is made before the first is marked, because the pages of the list shift when jobs are removed.
 */
export const prune = async (
  context: Pick<ServiceContext, "ledger" | "blobs" | "retentionOf" | "now">,
  filter: PruneFilter,
  { isDry, most = Infinity }: { readonly isDry: boolean; readonly most?: number },
): Promise<{ readonly parts: readonly PrunedPart[]; readonly isMore: boolean }> => {
  const { ledger, blobs, now, retentionOf = () => pinnedRetention } = context;
  const plan: DuePart[] = [];
  for await (const part of planPrune({ ledger, retentionOf: retentionOf(), now }, filter))
    if (plan.push(part) > most) break;
  const parts: PrunedPart[] = [];
  for (const part of plan.slice(0, most)) {
    if (isDry) parts.push({ ...part, bytes: await storedBytes(blobs, part.job, part.what) });
    else if (await markDue(ledger, part)) parts.push(part);
  }
  return { parts, isMore: plan.length > most && !isDry };
};

export const dueView = ({ endedAt, ...part }: PrunedPart): DueRemoval => ({
  ...part,
  endedAt: isoTime(endedAt),
});
