import { type JobPins, movedCounts, withNewPins } from "../model/job-version.ts";
import type { JobSpec, PinnedScraper } from "../model/job.ts";
import type { Pace } from "../model/pace.ts";
import type { AmendedItem } from "../ports/ledger.ts";
import { type Book, want } from "./book.ts";
import { jobNamed, mustGoOn, READING } from "./control-job.ts";
import { emitItems, emitWants } from "./emit-items.ts";
import { addFailure, takeFailure } from "./failures.ts";
import { lowerPace } from "./queues.ts";
import type { Job, Result } from "./records.ts";

/** Pins a job to other versions and leaves it paused. Changes nothing while items are leased, which are run with the versions before. */
export const pinVersions = (book: Book, id: string, pins: JobPins): { readonly inHand: number } => {
  const job = jobNamed(book, id);
  mustGoOn(book, job, false);
  const queues = book.list("queuesOf", job.number);
  const inHand = queues.reduce((sum, { leased }) => sum + leased, 0);
  if (inHand > 0) return { inHand };
  const spec = withNewPins(job.spec, pins);
  const slowed = slowedScrapers(job.spec, spec);
  for (const queue of queues) {
    let next = book.patch("queue", queue, { isClaimable: false, isProbing: false });
    for (const scraper of slowed) next = lowerPace(book, next, scraper);
  }
  book.patch("job", job, {
    spec,
    revision: spec.earlier!.length,
    fieldCounts: movedCounts(job.fieldCounts, job.spec.fields, spec.fields),
    endedAt: null,
    state: "paused",
    paused: { ...READING, at: book.now },
  });
  book.wakeJob(job.number, book.now);
  book.tell("job.paused", id, { ...READING });
  return { inHand: 0 };
};

/** Which of several scrapers have items in a lane is not known: all of the job's lanes are as slow as one that was slowed down. */
const slowedScrapers = (was: JobSpec, now: JobSpec): PinnedScraper[] =>
  now.scrapers.filter((one, at) => isSlower(siteOf(one), siteOf(was.scrapers[at] ?? one)));

const siteOf = ({ pace, sitePace = pace }: PinnedScraper): Pace => sitePace;

const isSlower = (now: Pace, was: Pace): boolean =>
  now.perSecond < was.perSecond || now.burst < was.burst || now.concurrency < was.concurrency;

/** What the present versions made of stored pages takes the place of what earlier ones did. */
export const amendItems = (book: Book, id: string, revision: number, items: readonly AmendedItem[]): void => {
  const job = jobNamed(book, id);
  if (job.revision !== revision || job.state === "cancelled") return;
  book.need(
    ...items.flatMap((item) => [
      want("result", item.queue, item.seq),
      want("item", item.queue, item.seq),
      ...(item.emitted.length > 0 ? emitWants(book, job.number, item) : []),
    ]),
  );
  for (const item of items) {
    const before = amendable(book, revision, item);
    if (!before) continue;
    amend(book, job.number, revision, item, before);
    if (item.emitted.length > 0 || item.rejected.length > 0) emitItems(book, job.number, item);
  }
  book.patch("job", book.known("job", job.number)!, { reopenedAt: book.now });
};

/** Inputs found on a page, more than one transaction takes: all but the last ones arrive before. Found again, they are folded. */
export const emitAmended = (book: Book, id: string, revision: number, item: AmendedItem): void => {
  const job = jobNamed(book, id);
  if (job.revision !== revision || job.state === "cancelled") return;
  book.need(want("result", item.queue, item.seq), ...emitWants(book, job.number, item));
  if (amendable(book, revision, item)) emitItems(book, job.number, { ...item, rejected: [] });
};

/** Undefined where the item has been amended before, or is to be tried again. */
const amendable = (book: Book, revision: number, { queue, seq }: AmendedItem): Result | undefined => {
  const result = book.one("result", queue, seq);
  const isOf = result && (result.state === "done" || result.state === "failed" || result.state === "skipped");
  return isOf && result.revision < revision ? result : undefined;
};

const amend = (book: Book, number: number, revision: number, item: AmendedItem, before: Result): void => {
  const { outcome } = item;
  const failure = outcome.state === "failed" ? outcome.failure : null;
  const after: Result = {
    ...before,
    state: outcome.state,
    endedAt: book.now,
    quality: outcome.state === "failed" ? null : outcome.quality,
    failure,
    records: item.records,
    revision,
  };
  book.put("result", after);
  const job = book.known("job", number)!;
  const change = (of: Result["state"]): number => Number(after.state === of) - Number(before.state === of);
  const isPartial = ({ state, quality }: Result): number => Number(state === "done" && quality === "partial");
  let { failures } = job;
  if (before.state === "failed" && before.failure) failures = takeFailure(failures, before.failure.kind);
  if (failure)
    failures = addFailure(failures, failure, book.one("item", item.queue, item.seq)!.key, {
      isFinal: true,
      isUntried: true,
    });
  book.patch("job", job, {
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

/** All stored pages are read: the job may be resumed. */
export const endAmending = (book: Book, id: string, revision: number): void => {
  const job = jobNamed(book, id);
  if (job.revision !== revision) return;
  const { isAmending: _, ...spec } = job.spec;
  book.patch("job", job, { spec });
};
