import { setTimeout as delay } from "node:timers/promises";
import { isoTime } from "../domain/iso-time.ts";
import type { JobCaps, JobView } from "../domain/job.ts";
import type { Removal } from "../domain/removal.ts";
import { takeNewVersion } from "../reextract/take-new-version.ts";
import { type Actor, mayRead, type ServiceContext, shown } from "./context.ts";
import { Problem } from "./problem.ts";
import { readPointers } from "./version-documents.ts";

type Jobs = Pick<ServiceContext, "ledger">;

/** Another client's job is as unknown as one that never existed. */
export const findJob = async ({ ledger }: Jobs, actor: Actor, id: string): Promise<JobView> => {
  const view = await ledger.readJob(id);
  if (view && mayRead(actor, view.spec.client)) return view;
  const removal = view ? undefined : await ledger.removals.read(id);
  if (removal && mayRead(actor, removal.client)) throw removedProblem(removal);
  throw new Problem("not-found", `${shown(id)}: no such job.`);
};

const removedProblem = ({ job, removedAt }: Removal): Problem =>
  new Problem(
    "job-removed",
    `${shown(job)}: the job was removed at ${isoTime(removedAt)}. Its \`removal\` has the details.`,
  );

/** The job's state after a change. */
export const readJob = async ({ ledger }: Jobs, id: string): Promise<JobView> => {
  const view = await ledger.readJob(id);
  if (!view) throw new Problem("not-found", `${shown(id)}: no such job.`);
  return view;
};

export const refuseCancelled = ({ spec, state }: JobView): void => {
  if (state === "cancelled") throw new Problem("job-ended", `${spec.id}: the job was cancelled.`);
};

/** The job ends when its items have ended. Sealing it again changes nothing. */
export const sealJob = async (context: Jobs, actor: Actor, job: string): Promise<JobView> => {
  const view = await findJob(context, actor, job);
  refuseCancelled(view);
  if (!view.isSealed) await context.ledger.sealJob(job);
  return await readJob(context, job);
};

interface Stop {
  readonly to: "pause" | "cancel";
  readonly waitMs?: number;
  /** The caller no longer waits. */
  readonly isGone?: () => boolean;
}

interface StoppedJob {
  readonly view: JobView;
  /** No further request of the job can start; false if that takes longer than the wait. */
  readonly isQuiet: boolean;
}

const STOP_WAIT_MS = 20_000;

/** Pauses or cancels a job, and waits until no further request of it can reach a site. */
export const stopJob = async (
  context: Jobs,
  actor: Actor,
  job: string,
  { to, waitMs = STOP_WAIT_MS, isGone = () => false }: Stop,
): Promise<StoppedJob> => {
  await findJob(context, actor, job);
  await context.ledger.controlJob(job, to);
  const isQuiet = await untilQuiet(context, job, waitMs, isGone);
  return { view: await readJob(context, job), isQuiet };
};

/** Bounds of the pause between two checks, whatever the ledger proposes. */
const SHORTEST_MS = 10;
const LONGEST_MS = 1000;
const AGAIN_MS = 50;

/** For a cancelled job, also waits until the items in flight are counted, so that the answer has the final numbers if they come in time. */
const untilQuiet = async (
  { ledger }: Jobs,
  job: string,
  waitMs: number,
  isGone: () => boolean,
): Promise<boolean> => {
  const endsAt = performance.now() + waitMs;
  for (;;) {
    const reply = await ledger.isQuiet(job);
    if (reply.quiet) {
      const view = await ledger.readJob(job);
      if (view?.state !== "cancelled" || view.endedAt !== undefined) return true;
    }
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0 || isGone()) return reply.quiet;
    const againInMs = reply.quiet ? AGAIN_MS : reply.againInMs;
    await delay(Math.min(leftMs, LONGEST_MS, Math.max(SHORTEST_MS, againInMs)));
  }
};

interface ResumeOptions {
  readonly caps?: JobCaps;
  /** Continue with the current version of the scrapers. */
  readonly newVersion?: boolean;
  /** How long to wait for items that workers are running with the previous version. */
  readonly waitMs?: number;
  /** Called with the number of such items. */
  readonly onWait?: (inFlight: number) => void;
  /**
   * Reads the stored pages of a job with a new version immediately; `isTaken` is false if the version is unchanged. By default a
   * maintenance task of a controller reads them, and the job stays paused until then.
   */
  readonly readPages?: (view: JobView, isTaken: boolean) => Promise<void>;
}

/**
 * Resumes a job. With higher limits, inputs that were capped are accepted, even if the job had ended; inputs that a daily quota kept out are tried
 * again in any case.
 */
export const resumeJob = async (
  context: Pick<ServiceContext, "ledger" | "laneOf"> & Partial<Pick<ServiceContext, "blobs">>,
  actor: Actor,
  job: string,
  { caps = {}, newVersion = false, waitMs = STOP_WAIT_MS, onWait, readPages }: ResumeOptions,
): Promise<JobView> => {
  const { ledger, laneOf, blobs: store } = context;
  const view = await findJob(context, actor, job);
  if (Object.keys(caps).length > 0 || view.cappedBy.quota > 0) await ledger.raiseCaps(job, caps);
  const { active } = newVersion ? (await readPointers(ledger, view.spec.scraper)).body : {};
  const isTaken =
    newVersion &&
    (await takeNewVersion(ledger, view, {
      laneOf,
      waitMs,
      version: active,
      ...(store && { store }),
      ...(onWait && { onWait }),
    }));
  if (isTaken && !readPages) return await readJob(context, job);
  await readPages?.(await readJob(context, job), isTaken);
  await ledger.controlJob(job, "resume");
  return await readJob(context, job);
};

/** The name of a scraper of the job, by that name or its file's. */
export const scraperOfJob = async (
  { scrapers }: Pick<ServiceContext, "scrapers">,
  { spec }: JobView,
  named: string | undefined,
): Promise<string | undefined> => {
  if (named === undefined) return undefined;
  const names = spec.scrapers.map(({ name }) => name);
  const name = names.includes(named) ? named : await scrapers.ownName(named);
  if (names.includes(name)) return name;
  throw new Problem(
    "unknown-scraper",
    `${shown(named)}: job ${spec.id} has no such scraper. It has ${names.join(", ")}.`,
  );
};
