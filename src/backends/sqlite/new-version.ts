import { writeSpec } from "../../model/spec-text.ts";
import { type JobPins, movedCounts, withNewPins } from "../../model/job-version.ts";
import type { JobSpec, PauseReason, PinnedScraper } from "../../model/job.ts";
import type { Pace } from "../../model/pace.ts";
import { type AmendedItem, LedgerError } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { EMIT_CHUNK, emitItems } from "./emit-items.ts";
import { jobRow, type JobRow, pauseText, readSpec } from "./job-row.ts";
import { lowerPace } from "./insert-items.ts";
import { refreshLanesOf } from "./refresh-lane.ts";
import { isLosingPages } from "./removals/removal-row.ts";
import { sumResults } from "./row-sums.ts";
import { writeEvent } from "./write-event.ts";

/** Items a transaction, so that the lock is held briefly. */
const CHUNK = 200;

const READING: PauseReason = {
  cause: "new-version",
  reason: "its stored pages are read with the new version of its scraper",
};

export const pinVersions = async (
  db: Database,
  id: string,
  pins: JobPins,
): Promise<{ readonly inHand: number }> =>
  await db.write(() => {
    const job = jobRow(db, id);
    refuseEnded(db, job);
    if (job.leased > 0) return { inHand: job.leased };
    const was = readSpec(job.spec);
    const spec = withNewPins(was, pins);
    const counts = movedCounts(JSON.parse(job.field_counts) as number[], was.fields, spec.fields);
    db.run("UPDATE queues SET claimable = 0, probing = 0 WHERE job = ?", job.number);
    lowerPaces(db, job, was, spec);
    db.run(
      `UPDATE jobs SET spec = ?, revision = ?, field_counts = ?, ended_at = NULL, state = 'paused', paused = ? WHERE number = ?`,
      writeSpec(spec),
      spec.earlier!.length,
      JSON.stringify(counts),
      pauseText(db, READING),
      job.number,
    );
    refreshLanesOf(db, job.number);
    writeEvent(db, "job.paused", id, { ...READING });
    return { inHand: 0 };
  });

/** A spent budget is no reason: what is stored can be read, and nothing is fetched. */
const refuseEnded = (db: Database, { id, number, state, spec }: JobRow): void => {
  if (state === "cancelled")
    throw new LedgerError("job-ended", `${id}: the job was cancelled; start a new one for its items.`);
  if (isLosingPages(db, number))
    throw new LedgerError("job-ended", `${id}: its pages are being removed. Try again when they are.`);
  // Open again, it would be cancelled at once.
  if ((readSpec(spec).deadlineAt ?? Infinity) <= db.now())
    throw new LedgerError(
      "job-ended",
      `${id}: the job's deadline has passed. Read its stored pages with \`sluice extract ${id}\`, or start a new one for its items.`,
    );
};

/** Which of several scrapers have items in a lane is not known: all of the job's lanes are as slow as one that was slowed down. */
const lowerPaces = (db: Database, job: JobRow, was: JobSpec, now: JobSpec): void => {
  const slowed = now.scrapers.filter((one, at) => isSlower(siteOf(one), siteOf(was.scrapers[at] ?? one)));
  if (slowed.length === 0) return;
  const queues = db.all<{ id: number }>("SELECT id FROM queues WHERE job = ?", job.number);
  for (const { id } of queues) for (const scraper of slowed) lowerPace(db, id, scraper);
};

const siteOf = ({ pace, sitePace = pace }: PinnedScraper): Pace => sitePace;

const isSlower = (now: Pace, was: Pace): boolean =>
  now.perSecond < was.perSecond || now.burst < was.burst || now.concurrency < was.concurrency;

/** Inside a resume: a job whose stored pages have not all been read does not go on, and waits for somebody who reads them. */
export const waitForReading = (db: Database, job: JobRow): void => {
  db.run("UPDATE jobs SET state = 'paused', paused = ? WHERE number = ?", pauseText(db, READING), job.number);
};

export const amendItems = async (
  db: Database,
  id: string,
  revision: number,
  items: readonly AmendedItem[],
  isLast = false,
): Promise<void> => {
  for (const some of inTransactions(items)) {
    const ready: AmendedItem[] = [];
    for (const item of some) ready.push(await emitAhead(db, id, revision, item));
    await db.write(() => amendSome(db, id, revision, ready));
  }
  if (isLast) await db.write(() => endReading(db, id, revision));
};

function* inTransactions(items: readonly AmendedItem[]): Generator<readonly AmendedItem[]> {
  let some: AmendedItem[] = [];
  let emitted = 0;
  for (const item of items) {
    if (some.length >= CHUNK || (some.length > 0 && emitted + item.emitted.length > EMIT_CHUNK)) {
      yield some;
      [some, emitted] = [[], 0];
    }
    some.push(item);
    emitted += item.emitted.length;
  }
  if (some.length > 0) yield some;
}

/** What a page finds may be more than one short transaction takes: all but the last chunk arrive before. Read again, they are folded. */
const emitAhead = async (
  db: Database,
  id: string,
  revision: number,
  item: AmendedItem,
): Promise<AmendedItem> => {
  let { emitted } = item;
  for (; emitted.length > EMIT_CHUNK; emitted = emitted.slice(EMIT_CHUNK)) {
    const chunk = emitted.slice(0, EMIT_CHUNK);
    await db.write(() => {
      const job = jobRow(db, id);
      if (isAmendable(job, revision) && amendedRow(db, revision, item))
        emitItems(db, job.number, { ...item, emitted: chunk, rejected: [] });
    });
  }
  return { ...item, emitted };
};

const isAmendable = (job: JobRow, revision: number): boolean =>
  job.revision === revision && job.state !== "cancelled";

const amendSome = (db: Database, id: string, revision: number, items: readonly AmendedItem[]): void => {
  const job = jobRow(db, id);
  if (!isAmendable(job, revision)) return;
  const counts = JSON.parse(job.field_counts) as number[];
  for (const item of items) {
    if (!amendOne(db, job.number, revision, item)) continue;
    for (const [at, count] of item.fieldCounts.entries()) counts[at] = (counts[at] ?? 0) + count;
    if (item.emitted.length > 0 || item.rejected.length > 0) emitItems(db, job.number, item);
  }
  db.run(
    "UPDATE jobs SET field_counts = ?, reopened_at = ? WHERE number = ?",
    JSON.stringify(counts),
    db.now(),
    job.number,
  );
};

interface AmendedRow {
  readonly state: number;
  readonly key: string;
  readonly quality: string | null;
  readonly kind: string | null;
}

const STATES = { done: 3, failed: 5, skipped: 6 } as const;
const { done: DONE, failed: FAILED, skipped: SKIPPED } = STATES;

/** Undefined where the item has been amended before, or is to be tried again. */
const amendedRow = (db: Database, revision: number, { queue, seq }: AmendedItem): AmendedRow | undefined =>
  db.get<AmendedRow>(
    `SELECT i.state, i.key, r.quality, r.failure ->> 'kind' AS kind FROM items i JOIN results r ON r.queue = i.queue AND r.seq = i.seq
     WHERE i.queue = ? AND i.seq = ? AND i.state IN (${DONE}, ${FAILED}, ${SKIPPED}) AND r.revision < ?`,
    queue,
    seq,
    revision,
  );

/** False where nothing is changed. */
const amendOne = (db: Database, job: number, revision: number, item: AmendedItem): boolean => {
  const { queue, seq, outcome } = item;
  const row = amendedRow(db, revision, item);
  if (!row) return false;
  const failure = outcome.state === "failed" ? outcome.failure : undefined;
  const quality = outcome.state === "failed" ? null : outcome.quality;
  const state = STATES[outcome.state];
  db.run("UPDATE items SET state = ? WHERE queue = ? AND seq = ?", state, queue, seq);
  db.run(
    "UPDATE results SET ended_at = ?, quality = ?, failure = ?, records = ?, revision = ? WHERE queue = ? AND seq = ?",
    db.now(),
    quality,
    failure ? JSON.stringify(failure) : null,
    item.records ? JSON.stringify(item.records) : null,
    revision,
    queue,
    seq,
  );
  sumResults(db, queue, seq);
  const change = (of: number): number => Number(state === of) - Number(row.state === of);
  const isPartial = (of: number, how: string | null): number => Number(of === DONE && how === "partial");
  db.run(
    "UPDATE jobs SET done = done + ?, failed = failed + ?, skipped = skipped + ?, partial = partial + ? WHERE number = ?",
    change(DONE),
    change(FAILED),
    change(SKIPPED),
    isPartial(state, quality) - isPartial(row.state, row.quality),
    job,
  );
  if (row.state === FAILED)
    db.run("UPDATE job_failures SET final = final - 1 WHERE job = ? AND kind = ?", job, row.kind);
  if (failure)
    db.run(
      `INSERT INTO job_failures (job, kind, final, example_key, example_detail) VALUES (?, ?, 1, ?, ?)
       ON CONFLICT (job, kind) DO UPDATE SET final = final + 1, example_key = excluded.example_key, example_detail = excluded.example_detail`,
      job,
      failure.kind,
      row.key,
      failure.detail,
    );
  return true;
};

const endReading = (db: Database, id: string, revision: number): void => {
  const job = jobRow(db, id);
  if (job.revision !== revision) return;
  const { isAmending: _, ...spec } = readSpec(job.spec);
  db.run("UPDATE jobs SET spec = ? WHERE number = ?", writeSpec(spec), job.number);
};
