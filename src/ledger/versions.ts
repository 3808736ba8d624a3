import {
  changeVersions,
  type JobPins,
  movedCounts,
  type Pace,
  revisionOf,
  type VersionChange,
  withNewPins,
} from "../domain/job-version.ts";
import type { JobSpec, PinnedScraper } from "../domain/job.ts";
import type { AmendedItem } from "../ports/ledger.ts";
import { type Transaction, want } from "./transaction.ts";
import { jobNamed, mustGoOn, READING } from "./control-job.ts";
import { emitItems, emitWants } from "./emit-items.ts";
import { addFailure, noteFailures, takeFailure } from "./failures.ts";
import { lowerPace } from "./queues.ts";
import type { Job, Result } from "./records.ts";

/** Pins a job to other versions and leaves it paused. Changes nothing while items are leased, which run with the previous versions. */
export const pinVersions = (tx: Transaction, id: string, pins: JobPins): { readonly inFlight: number } => {
  const job = jobNamed(tx, id);
  mustGoOn(tx, job, false);
  const queues = tx.list("queuesOf", job.number);
  const inFlight = queues.reduce((sum, { leased }) => sum + leased, 0);
  if (inFlight > 0) return { inFlight };
  const spec = withNewPins(job.spec, pins);
  const slowed = slowedScrapers(job.spec, spec);
  for (const queue of queues) {
    let next = tx.patch("queue", queue, { isClaimable: false, isProbing: false });
    for (const scraper of slowed) next = lowerPace(tx, next, scraper);
  }
  tx.patch("job", job, {
    spec,
    revision: spec.earlier!.length,
    fieldCounts: movedCounts(job.fieldCounts, job.spec.fields, spec.fields),
    endedAt: null,
    state: "paused",
    paused: { ...READING, at: tx.now },
  });
  tx.wakeJob(job.number, tx.now);
  tx.tell("job.paused", id, { ...READING });
  return { inFlight: 0 };
};

/** Changes the versions of a running job: the next claim has the job's new revision. */
export const changeJobVersions = (tx: Transaction, id: string, change: VersionChange): boolean => {
  const job = jobNamed(tx, id);
  if (job.state === "cancelled") return false;
  const spec = changeVersions(job.spec, change);
  if (!spec) return false;
  // A canary shares the lanes of its job.
  const slowed = [spec, ...(spec.canary ? [spec.canary] : [])].flatMap((now) =>
    slowedScrapers(job.spec, now),
  );
  if (slowed.length > 0)
    for (const queue of tx.list("queuesOf", job.number))
      slowed.reduce((one, scraper) => lowerPace(tx, one, scraper), queue);
  tx.patch("job", job, {
    spec,
    revision: revisionOf(spec),
    fieldCounts: movedCounts(job.fieldCounts, job.spec.fields, spec.fields),
    // What follows takes time, and may run after the job's end.
    reopenedAt: tx.now,
  });
  return true;
};

/** It is not known which of several scrapers have items in a lane: if one scraper was slowed down, all lanes of the job are. */
const slowedScrapers = (was: JobSpec, now: Pick<JobSpec, "scrapers">): PinnedScraper[] =>
  now.scrapers.filter((one, at) => isSlower(siteOf(one), siteOf(was.scrapers[at] ?? one)));

const siteOf = ({ pace, sitePace = pace }: PinnedScraper): Pace => sitePace;

const isSlower = (now: Pace, was: Pace): boolean =>
  now.perSecond < was.perSecond || now.burst < was.burst || now.concurrency < was.concurrency;

/** The results of the current versions on stored pages replace those of earlier versions. */
export const amendItems = (
  tx: Transaction,
  id: string,
  revision: number,
  items: readonly AmendedItem[],
): void => {
  const job = jobNamed(tx, id);
  if (job.revision !== revision || job.state === "cancelled") return;
  tx.need(
    ...items.flatMap((item) => [
      want("result", item.queue, item.seq),
      want("item", item.queue, item.seq),
      ...(item.emitted.length > 0 ? emitWants(tx, job.number, item) : []),
    ]),
  );
  for (const item of items) {
    const before = amendable(tx, revision, item);
    if (!before) continue;
    amend(tx, job.number, revision, item, before);
    if (item.emitted.length > 0 || item.rejected.length > 0) emitItems(tx, job.number, item);
  }
  tx.patch("job", tx.known("job", job.number)!, { reopenedAt: tx.now });
};

/** Inputs found on a page, more than one transaction takes: all but the last are added before. If found again, they are folded. */
export const emitAmended = (tx: Transaction, id: string, revision: number, item: AmendedItem): void => {
  const job = jobNamed(tx, id);
  if (job.revision !== revision || job.state === "cancelled") return;
  tx.need(want("result", item.queue, item.seq), ...emitWants(tx, job.number, item));
  if (amendable(tx, revision, item)) emitItems(tx, job.number, { ...item, rejected: [] });
};

/** Undefined if the item has already been amended, or is to be tried again. */
const amendable = (tx: Transaction, revision: number, { queue, seq }: AmendedItem): Result | undefined => {
  const result = tx.one("result", queue, seq);
  const isOf = result && (result.state === "done" || result.state === "failed" || result.state === "skipped");
  return isOf && result.revision < revision ? result : undefined;
};

const amend = (
  tx: Transaction,
  number: number,
  revision: number,
  item: AmendedItem,
  before: Result,
): void => {
  const { outcome } = item;
  const failure = outcome.state === "failed" ? outcome.failure : null;
  const after: Result = {
    ...before,
    state: outcome.state,
    endedAt: tx.now,
    quality: outcome.state === "failed" ? null : outcome.quality,
    failure,
    records: item.records,
    revision,
  };
  tx.put("result", after);
  const job = tx.known("job", number)!;
  const change = (of: Result["state"]): number => Number(after.state === of) - Number(before.state === of);
  const isPartial = ({ state, quality }: Result): number => Number(state === "done" && quality === "partial");
  let { failures } = job;
  if (before.state === "failed" && before.failure) failures = takeFailure(failures, before.failure.kind);
  if (failure) noteFailures(tx, number, { [failure.kind]: [1, 0] });
  if (failure)
    failures = addFailure(failures, failure, tx.one("item", item.queue, item.seq)!.key, {
      isFinal: true,
      isUntried: true,
    });
  tx.patch("job", job, {
    done: job.done + change("done"),
    failed: job.failed + change("failed"),
    skipped: job.skipped + change("skipped"),
    partial: job.partial + isPartial(after) - isPartial(before),
    fieldCounts: addCounts(job, item.fieldCounts),
    failures,
  });
};

const addCounts = ({ fieldCounts }: Job, added: readonly number[]): number[] =>
  Array.from(
    { length: Math.max(fieldCounts.length, added.length) },
    (_, i) => (fieldCounts[i] ?? 0) + (added[i] ?? 0),
  );

/** All stored pages have been read: the job may be resumed. */
export const endAmending = (tx: Transaction, id: string, revision: number): void => {
  const job = jobNamed(tx, id);
  if (job.revision !== revision) return;
  const { isAmending: _, ...spec } = job.spec;
  tx.patch("job", job, { spec });
};
