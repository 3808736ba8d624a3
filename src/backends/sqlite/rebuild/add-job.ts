import { FIELD_STATUSES } from "../../../model/record.ts";
import { revisionOf } from "../../../model/job-version.ts";
import type { JobSpec, JobState, JobView } from "../../../model/job.ts";
import { writeSpec } from "../../../model/spec-text.ts";
import type { ListedItem, LostJob, RebuiltJob, SettledLine } from "../../../ports/ledger-rebuild.ts";
import type { PlannedItem } from "../../../ports/ledger.ts";
import { countInputs } from "../add-items.ts";
import { setCounters } from "../count-items.ts";
import { sumResults } from "../row-sums.ts";
import { createJob } from "../create-job.ts";
import type { Database } from "../database.ts";
import { capOf } from "../emit-items.ts";
import { insertItems, insertKeys, type Origin, placeItems } from "../insert-items.ts";
import { jobRow, type JobRow, pauseText } from "../job-row.ts";
import { JobTally } from "../job-tally.ts";
import { refreshQueue } from "../refresh-lane.ts";
import { noteBorrowed } from "../removals/borrowed.ts";
import { onlyInHand } from "../spend-budget.ts";
import { fillCatalog, type LinedUp, linedUp, type Received } from "./catalog.ts";
import { type ItemEnd, itemEnd } from "./item-end.ts";
import { keepFresh } from "./keep-fresh.ts";

const REBUILT = {
  cause: "asked",
  reason: "the ledger was lost and rebuilt from the archive; resume the job to go on with it",
} as const;
const UNKNOWN_LANE = "unknown";
const CHUNK = 500;

/** What is counted while results are put back. */
interface Tally {
  readonly fields: number[];
  lost: number;
  withoutInput: number;
  isOutdated: boolean;
}

/** One job of a lost ledger, from what the archive has of it. */
export const addLostJob = async (db: Database, job: LostJob): Promise<RebuiltJob> => {
  const { spec } = job.view;
  await createJob(db, spec);
  const received = await fillCatalog(db, spec, job);
  const tally: Tally = {
    fields: spec.fields.flatMap(() => FIELD_STATUSES.map(() => 0)),
    lost: 0,
    withoutInput: 0,
    isOutdated: false,
  };
  for (let rows = linedUp(db, 0); rows.length > 0; rows = linedUp(db, rows.at(-1)!.n)) {
    await db.write(() => placeSome(db, spec, rows, tally), false);
    job.onProgress(0);
  }
  await db.write(() => nameParents(db), false);
  await putResults(db, job, tally);
  return await db.write(() => {
    finishJob(db, job, received, tally);
    return reportOf(db, spec.id, tally);
  }, false);
};

const placeSome = (db: Database, spec: JobSpec, rows: readonly LinedUp[], tally: Tally): void => {
  const job = jobRow(db, spec.id);
  const origins = new Map<PlannedItem, Origin>();
  const planned = rows.map((row): PlannedItem => {
    const { key, scraper, input, lane, depth, chain, known } = row;
    if (input === null) tally.withoutInput++;
    const item = { key, scraper, input: input ?? "{}", lane: lane ?? UNKNOWN_LANE };
    const from = { depth: depth ?? 0, chain: chain ?? 0 };
    // What was worked on, or is in the manifest, was let in; of the rest the job's limits decide.
    const cap = known === 1 ? undefined : capOf(spec, { scraper, ...from });
    origins.set(item, { ...from, ...(cap && { cap }) });
    return item;
  });
  const placed = placeItems(db, job, spec, planned, (item) => origins.get(item)!);
  insertKeys(db, job.number, placed);
  const known = placed.filter((_, at) => rows[at]!.known === 1);
  const rest = placed.filter((_, at) => rows[at]!.known === 0);
  for (const [some, room] of [
    [known, Infinity],
    [rest, spec.maxItems - job.accepted - known.length],
  ] as const) {
    const { accepted, folded, capped, capChange } = insertItems(db, some, room);
    countInputs(db, job.number, { received: accepted + folded + capped, accepted, folded, capChange });
  }
  for (const { item, queue, seq } of placed)
    db.run(
      `INSERT INTO catalog.placed (scraper, key, queue, seq)
       SELECT scraper, key, queue, seq FROM items WHERE queue = ? AND seq = ? AND key = ?`,
      queue,
      seq,
      item.key,
    );
};

/** Before the results, whose checksums cover it. */
const nameParents = (db: Database): void => {
  db.run(
    `UPDATE items SET parent_queue = p.queue, parent_seq = p.seq
     FROM catalog.given g JOIN catalog.placed c ON c.scraper = g.scraper AND c.key = g.key
     JOIN catalog.placed p ON p.scraper = g.parent_scraper AND p.key = g.parent_key
     WHERE g.parent_key IS NOT NULL AND items.queue = c.queue AND items.seq = c.seq`,
  );
};

interface Place {
  readonly scraper: number;
  readonly key: string;
  readonly queue: number;
  readonly seq: number;
}

const putResults = async (db: Database, job: LostJob, tally: Tally): Promise<void> => {
  for (let after = { queue: 0, seq: 0 }; ;) {
    const places = db.all<Place>(
      `SELECT scraper, key, queue, seq FROM catalog.placed WHERE (queue, seq) > (?, ?) ORDER BY queue, seq LIMIT ${CHUNK}`,
      after.queue,
      after.seq,
    );
    if (places.length === 0) return;
    after = places.at(-1)!;
    await db.write(() => {
      const costs = new JobTally(jobRow(db, job.view.spec.id).number);
      for (const place of places) putResult(db, job, place, tally, costs);
      costs.write(db);
    }, false);
    job.onProgress(places.length);
  }
};

const putResult = (db: Database, job: LostJob, place: Place, tally: Tally, costs: JobTally): void => {
  const { scraper, key, queue, seq } = place;
  const { spec } = job.view;
  const lines = db
    .all<{ line: string }>(
      "SELECT line FROM catalog.told WHERE scraper = ? AND key = ? ORDER BY at, n",
      scraper,
      key,
    )
    .map(({ line }) => JSON.parse(line) as SettledLine);
  const row = db.get<{ line: string }>(
    "SELECT line FROM catalog.listed WHERE scraper = ? AND key = ?",
    scraper,
    key,
  );
  const listed = row && (JSON.parse(row.line) as ListedItem);
  const known = itemEnd(scraper, lines, listed, { ...job, spec });
  const end = known.state < 3 && !hasInput(db, place) ? endWithoutInput(job.view, known) : known;
  for (const { attempt, outcome } of lines) {
    costs.addCost(attempt);
    if ("failure" in outcome) costs.addFailure(outcome.failure, key, false);
  }
  if (end.isLost) tally.lost++;
  db.run(
    "UPDATE items SET state = ?, attempts = ?, throttles = ?, due_at = ? WHERE queue = ? AND seq = ?",
    end.state,
    end.attempts,
    end.throttles,
    end.state < 3 ? db.now() : null,
    queue,
    seq,
  );
  if (end.result) saveEnd(db, place, end.result, spec.id);
  if (end.state === 3 && end.last?.fieldCounts)
    end.last.fieldCounts.forEach((count, at) => (tally.fields[at] = (tally.fields[at] ?? 0) + count));
  if (end.state === 3 && end.result!.revision < revisionOf(spec)) tally.isOutdated = true;
  if (end.last && end.state > 2) keepFresh(db, spec, place, end.last);
};

const hasInput = (db: Database, { scraper, key }: Place): boolean =>
  db.get("SELECT 1 FROM catalog.given WHERE scraper = ? AND key = ?", scraper, key) !== undefined;

/** Nothing is fetched with an input that is not known; nor does the item vanish. */
const endWithoutInput = (
  { createdAt, spec }: JobView,
  { attempts, throttles, result }: ItemEnd,
): ItemEnd => ({
  state: 5,
  attempts,
  throttles,
  isLost: false,
  result: {
    endedAt: createdAt,
    failure: {
      kind: "invalid-input",
      detail: "its input is not in the archive that the ledger was rebuilt from; give it to a new job",
    },
    captures: [],
    records: null,
    history: result?.history ?? [],
    revision: revisionOf(spec),
  },
});

const saveEnd = (
  db: Database,
  { queue, seq }: Place,
  result: NonNullable<ItemEnd["result"]>,
  job: string,
): void => {
  const text = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
  const { captures, records, history } = result;
  db.run(
    `INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    queue,
    seq,
    result.endedAt,
    result.quality ?? null,
    text(result.failure),
    captures.length > 0 ? JSON.stringify(captures) : null,
    text(records ?? undefined),
    history.length > 0 ? JSON.stringify(history) : null,
    text(result.skipped),
    result.change ?? null,
    text(result.attempt),
    result.revision,
  );
  sumResults(db, queue, seq);
  noteBorrowed(db, { queue, seq }, job, records ? [...captures, records] : captures);
};

const finishJob = (db: Database, job: LostJob, received: Received, tally: Tally): void => {
  const { view } = job;
  const { spec } = view;
  const { number, accepted, capped } = jobRow(db, spec.id);
  for (const { id } of db.all<{ id: number }>("SELECT id FROM queues WHERE job = ?", number)) {
    db.run(
      `UPDATE queues SET claimable = 0, cursor = tail,
         open = (SELECT count(*) FROM items WHERE queue = ?1 AND state < 3) WHERE id = ?1`,
      id,
    );
    refreshQueue(db, id);
  }
  const state = stateOf(db, number, job);
  const isEnded = state !== "paused";
  const isOutdated = !isEnded && tally.isOutdated;
  db.run(
    `UPDATE jobs SET created_at = ?, state = ?, sealed = ?, ended_at = ?, paused = ?, spent_at = ?, revision = ?, reopened_at = ?,
       received = ?, folded = ?, rejected = ?, rejects = ?, field_counts = ?, spec = ? WHERE number = ?`,
    view.createdAt,
    state,
    isEnded || view.isSealed ? 1 : 0,
    isEnded ? (view.endedAt ?? db.now()) : null,
    state === "done" ? null : pauseText(db, REBUILT),
    isEnded ? (view.budgetSpentAt ?? null) : null,
    revisionOf(spec),
    view.reopenedAt ?? null,
    ...(isEnded && view.endedAt !== undefined
      ? [view.counts.received, view.counts.folded, view.counts.rejected]
      : [received.received, received.received - accepted - capped - received.rejected, received.rejected]),
    JSON.stringify(isEnded ? view.rejects : received.rejects),
    JSON.stringify(isEnded && view.endedAt !== undefined ? view.fieldCounts : tally.fields),
    writeSpec(isOutdated ? { ...spec, isAmending: true } : spec),
    number,
  );
  if (isEnded) onlyInHand(db, number);
  if (isEnded && view.endedAt !== undefined) takeTallies(db, number, job);
  setCounters(db, spec.id);
};

/** A job that had ended stays so; any other waits for somebody who resumes it. */
const stateOf = (db: Database, number: number, { view }: LostJob): JobState => {
  if (view.state === "cancelled") return "cancelled";
  const isWhole =
    view.budgetSpentAt !== undefined ||
    db.get("SELECT 1 FROM queues WHERE job = ? AND open > 0 LIMIT 1", number) === undefined;
  return view.endedAt !== undefined && isWhole ? "done" : "paused";
};

/** Counters of a job that had ended are as the ledger told them. */
const takeTallies = (db: Database, number: number, { view }: LostJob): void => {
  db.run("UPDATE jobs SET requests = ?, bytes = ? WHERE number = ?", view.requests, view.bytes, number);
  db.run("DELETE FROM job_failures WHERE job = ?", number);
  const examples = new Map(view.failures.map((one) => [one.kind as string, one]));
  for (const kind of new Set([...examples.keys(), ...Object.keys(view.attemptFailures)]))
    db.run(
      "INSERT INTO job_failures (job, kind, attempts, example_key, example_detail) VALUES (?, ?, ?, ?, ?)",
      number,
      kind,
      (view.attemptFailures as Readonly<Record<string, number>>)[kind] ?? 0,
      examples.get(kind)?.exampleKey ?? null,
      examples.get(kind)?.exampleDetail ?? null,
    );
  for (const [change, count] of Object.entries(view.changes ?? {}))
    if (count > 0)
      db.run("INSERT INTO job_changes (job, change, count) VALUES (?, ?, ?)", view.spec.id, change, count);
  const { pagesRemoved } = view;
  if (pagesRemoved)
    db.run(
      `INSERT INTO removals (number, id, client, scraper, what, created_at, ended_at, marked_at, captures, bytes)
       VALUES (?, ?, ?, ?, 'pages', ?, ?, ?, ?, ?)`,
      number,
      view.spec.id,
      view.spec.client,
      view.spec.scraper,
      view.createdAt,
      view.endedAt!,
      pagesRemoved.at,
      pagesRemoved.captures,
      pagesRemoved.bytes,
    );
};

const reportOf = (db: Database, id: string, { lost, withoutInput }: Tally): RebuiltJob => {
  const row: JobRow = jobRow(db, id);
  const ended = row.done + row.absent + row.failed + row.skipped + row.cancelled;
  const { state, accepted: items, capped } = row;
  return { job: id, state, items, ended, queued: items - ended, capped, lost, withoutInput };
};
