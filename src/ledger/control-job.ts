import type { Pause, PauseReason } from "../domain/job.ts";
import { type Ledger, LedgerError } from "../ports/ledger.ts";
import { endedOf, endJobWhenDone, onlyLeased } from "./end-job.ts";
import { releaseQueue } from "./hold-queue.ts";
import type { Job } from "./records.ts";
import { forgetStops, isStopHeard, rememberHolders } from "./workers.ts";
import { type Transaction, want } from "./transaction.ts";

const ASKED: PauseReason = { cause: "asked", reason: "asked for" };
export const READING: PauseReason = {
  cause: "new-version",
  reason: "its stored pages are read with the new version of its scraper",
};

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The job with this id, as it is now. Throws if there is none, or if it was removed. */
export const jobNamed = (tx: Transaction, id: string): Job => {
  tx.need(want("jobNamed", id), want("removal", id));
  const job = tx.one("jobNamed", id);
  if (job) return job;
  const removal = tx.one("removal", id);
  if (removal)
    throw new LedgerError("job-removed", `${id}: the job was removed on ${dayOf(removal.markedAt)}.`);
  throw new LedgerError("no-such-job", `${id}: no such job. \`sluice jobs ls\` lists them.`);
};

/** Whether the job's pages are being removed: nothing may be read from them or added. */
const isLosingPages = (tx: Transaction, id: string): boolean => tx.one("removal", id)?.step != null;

/** A pulse arrives within this time. */
const QUIET_AGAIN_MS = 100;

/** Whether no request of the job can start any more. */
export const isQuiet = (tx: Transaction, id: string): Awaited<ReturnType<Ledger["isQuiet"]>> => {
  const { number, state } = jobNamed(tx, id);
  const isGoing = state === "loading" || state === "running";
  return !isGoing && isStopHeard(tx.list("workers"), number, tx.now)
    ? { quiet: true }
    : { quiet: false, againInMs: QUIET_AGAIN_MS };
};

export const controlJob = (
  tx: Transaction,
  id: string,
  to: "pause" | "resume" | "cancel",
  why: PauseReason = ASKED,
): void => {
  const job = jobNamed(tx, id);
  if (job.state === "cancelled" || (job.state === "done" && to !== "resume"))
    throw new LedgerError("job-ended", `${id}: the job has ended (${job.state}) and cannot be changed.`);
  tx.need(want("workers"));
  switch (to) {
    case "pause":
      // A reason that prevents reading the stored pages replaces the reading itself.
      if (job.state === "paused" && !(isReading(job) && why !== ASKED)) return;
      return pauseJob(tx, job, why);
    case "resume":
      if (job.state === "done") return;
      if (job.spec.isAmending)
        return void tx.patch("job", job, { state: "paused", paused: { ...READING, at: tx.now } });
      return resumeJob(tx, job);
    case "cancel":
      return cancelJob(tx, job, why);
    default:
      to satisfies never;
  }
};

const isReading = ({ spec, paused }: Job): boolean =>
  spec.isAmending === true && paused?.cause === "new-version";

/** Nothing more of it is claimed, and workers with items of it will be notified. */
const stopQueues = (tx: Transaction, { number }: Job): void => {
  rememberHolders(tx, (lease) => lease.job === number);
  tx.changeQueues(number, "stop");
  tx.wakeJob(number, tx.now);
};

export const pauseJob = (tx: Transaction, job: Job, why: PauseReason): void => {
  stopQueues(tx, job);
  tx.patch("job", job, { state: "paused", paused: { ...why, at: tx.now } satisfies Pause });
  tx.tell("job.paused", job.id, { ...why });
};

const resumeJob = (tx: Transaction, job: Job): void => {
  tx.patch("job", job, { state: job.isSealed ? "running" : "loading", paused: null });
  forgetStops(tx, (stop) => stop.job === job.number);
  // The items left by a used-up budget are leased, and no others will be.
  if (job.spentAt === null) openQueues(tx, job.number);
  // A running job may be resumed because of held lanes, or after its workers were lost.
  if (job.state === "paused") tx.tell("job.resumed", job.id);
  endJobWhenDone(tx, job.number);
};

/** Continues all queues of a job, including those that the breaker holds. */
export const openQueues = (tx: Transaction, number: number): void => {
  const troubled = tx.list("troubledQueues", number);
  tx.need(
    want("workers"),
    ...troubled.flatMap(({ lane, client }) => [
      want("lane", lane),
      want("share", lane, client),
      want("sharesOf", lane),
    ]),
  );
  for (const queue of troubled) releaseQueue(tx, queue);
  tx.changeQueues(number, "open");
  tx.wakeJob(number, tx.now);
};

/**
 * Items are not written one by one: in a cancelled job, an item that has not ended and is not leased counts as cancelled. Leased
 * items may have been fetched already: they end normally, or are cancelled when they come back. The job has ended when none is
 * left.
 */
export const cancelJob = (tx: Transaction, job: Job, why: PauseReason): void => {
  stopQueues(tx, job);
  const leased = onlyLeased(tx, job.number);
  tx.patch("job", job, {
    state: "cancelled",
    isSealed: true,
    paused: { ...why, at: tx.now },
    cancelled: job.accepted - (endedOf(job) - job.cancelled) - leased,
  });
  endJobWhenDone(tx, job.number);
};

/**
 * Throws if the job may not continue: it was cancelled, its deadline has passed, or its pages are being removed. `isFetching`:
 * its budget must not be used up either; stored pages can be read without a budget.
 */
export const mustGoOn = (tx: Transaction, job: Job, isFetching: boolean): void => {
  const ended = (why: string): LedgerError => new LedgerError("job-ended", `${job.id}: ${why}`);
  if (job.state === "cancelled") throw ended("the job was cancelled; start a new one for its items.");
  if (isFetching && job.spentAt !== null)
    throw ended("the job's budget is spent; start a new one for its items.");
  if (isLosingPages(tx, job.id)) throw ended("its pages are being removed. Try again when they are.");
  // If it were open again, it would be cancelled at once.
  if ((job.spec.deadlineAt ?? Infinity) <= tx.now)
    throw ended(
      isFetching
        ? "the job's deadline has passed; start a new one for its items."
        : `the job's deadline has passed. Read its stored pages with \`sluice extract ${job.id}\`, or start a new one for its items.`,
    );
};
