import { type JobPins, movedCounts, withNewPins } from "../../model/job-version.ts";
import type { JobSpec, PauseReason, PinnedScraper } from "../../model/job.ts";
import type { Pace } from "../../model/pace.ts";
import { type AmendedItem, LedgerError } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { EMIT_CHUNK, emitItems } from "./emit-items.ts";
import { jobRow, type JobRow, pauseText, readSpec, writeSpec } from "./job-row.ts";
import { lowerPace } from "./insert-items.ts";
import { refreshLanesOf } from "./refresh-lane.ts";
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
    if (job.state === "cancelled")
      throw new LedgerError("job-ended", `${id}: the job was cancelled; start a new one for its items.`);
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
  for (const some of inTransactions(items)) await db.write(() => amendSome(db, id, revision, some));
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

const amendSome = (db: Database, id: string, revision: number, items: readonly AmendedItem[]): void => {
  const job = jobRow(db, id);
  if (job.revision !== revision || job.state === "cancelled") return;
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

const DONE = 3;
const FAILED = 5;

/** False where the item has been amended before, or is to be tried again. */
const amendOne = (db: Database, job: number, revision: number, item: AmendedItem): boolean => {
  const { queue, seq, outcome } = item;
  const row = db.get<AmendedRow>(
    `SELECT i.state, i.key, r.quality, r.failure ->> 'kind' AS kind FROM items i JOIN results r ON r.queue = i.queue AND r.seq = i.seq
     WHERE i.queue = ? AND i.seq = ? AND i.state IN (${DONE}, ${FAILED}) AND r.revision < ?`,
    queue,
    seq,
    revision,
  );
  if (!row) return false;
  const failure = outcome.state === "failed" ? outcome.failure : undefined;
  const quality = outcome.state === "done" ? outcome.quality : null;
  const state = outcome.state === "done" ? DONE : FAILED;
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
  const partial = (of: string | null): number => (of === "partial" ? 1 : 0);
  db.run(
    "UPDATE jobs SET done = done + ?, failed = failed + ?, partial = partial + ? WHERE number = ?",
    Number(state === DONE) - Number(row.state === DONE),
    Number(state === FAILED) - Number(row.state === FAILED),
    partial(quality) - (row.state === DONE ? partial(row.quality) : 0),
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
