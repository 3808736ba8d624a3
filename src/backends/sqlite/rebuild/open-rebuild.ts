import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import type { FailureKind } from "../../../domain/failure.ts";
import { revisionOf } from "../../../domain/job-version.ts";
import type { JobState, JobView } from "../../../domain/job.ts";
import { endedOf } from "../../../ledger/end-job.ts";
import { capOf, countInputs, insertItems, insertWants, type Origin } from "../../../ledger/insert-items.ts";
import { createJob } from "../../../ledger/jobs.ts";
import type { CappedItem, FailureCount, Item, Job } from "../../../ledger/records.ts";
import { type LedgerStore, want } from "../../../ledger/transaction.ts";
import type { LedgerRebuild, LostJob, RebuiltJob } from "../../../ports/ledger-check.ts";
import { LedgerError, type PlannedItem } from "../../../ports/ledger.ts";
import { jobNamed, writeRecords } from "../../sql/rows.ts";
import { countItems, writeCounted } from "../count-items.ts";
import { Database } from "../database.ts";
import { LEDGER_SCHEMA, REGISTRY_SCHEMA } from "../migrate.ts";
import { sqliteStore } from "../store.ts";
import { fillCatalog, linedUp, notePlace, openCatalog, type Received } from "./catalog.ts";
import { putResults, type Tally } from "./put-results.ts";

/** A new ledger in this file, replacing the rest of an interrupted rebuild. */
export const openRebuild = async (file: string): Promise<LedgerRebuild> => {
  if (existsSync(file)) refuseLocked(file);
  for (const end of ["", "-wal", "-shm", "-catalog"]) await rm(`${file}${end}`, { force: true });
  const db = await Database.open(file, { cacheMb: 64 }, [LEDGER_SCHEMA, REGISTRY_SCHEMA]);
  // From the next write, nobody else can read it.
  db.get("PRAGMA locking_mode = EXCLUSIVE");
  const store = sqliteStore(db);
  const catalog = `${file}-catalog`;
  openCatalog(db, catalog);
  return {
    addJob: (job) => addLostJob({ db, store }, job),
    async finish() {
      // Events before the loss have been delivered, as far as they were.
      await db.write(() => void db.run("DELETE FROM events"));
      db.close();
      await rm(catalog, { force: true });
      await using whole = await open(file, "r+");
      await whole.sync();
    },
    async [Symbol.asyncDispose]() {
      db.close();
    },
  };
};

/** Only a running rebuild keeps its file locked; other problems with the file do not matter. */
const refuseLocked = (file: string): void => {
  using db = new DatabaseSync(file, { timeout: 0 });
  try {
    db.prepare("SELECT 1 FROM sqlite_schema").get();
  } catch (error) {
    if (error instanceof Error && /locked/.test(error.message))
      throw new LedgerError(
        "locked",
        `${file}: another \`sluice rebuild\` is running. Wait until it has ended.`,
      );
  }
};

const REBUILT = {
  cause: "asked",
  reason: "the ledger was lost and rebuilt from the archive; resume the job to continue it",
} as const;
const UNKNOWN_LANE = "unknown";

/** The ledger that is built. */
export interface NewLedger {
  readonly db: Database;
  readonly store: LedgerStore;
}

/** One job of a lost ledger, from its data in the archive. */
export const addLostJob = async (made: NewLedger, lost: LostJob): Promise<RebuiltJob> => {
  const { db, store } = made;
  const { spec, createdAt, reopenedAt = null } = lost.view;
  const job = await store.transact([], (tx) => {
    createJob(tx, spec);
    const added = tx.added("job", ({ id }) => id === spec.id)!;
    // Paused from the beginning: nothing of it can be claimed.
    return tx.patch("job", added, { state: "paused", createdAt, reopenedAt, revision: revisionOf(spec) });
  });
  const received = await fillCatalog(db, lost);
  await placeItems(made, job, lost);
  const tally = await putResults(made, lost);
  return await db.write(() => {
    finishJob(db, lost, received, tally);
    return reportOf(jobNamed(db, spec.id), tally);
  }, false);
};

/** Items that were worked on, or are in the manifest, were accepted; for the rest, the job's limits decide. */
const placeItems = async ({ db, store }: NewLedger, job: Job, { onProgress }: LostJob): Promise<void> => {
  const { number, spec } = job;
  for (let after = 0; ;) {
    const next = linedUp(db, after);
    if (next.length === 0) return;
    const isKnown = next[0]!.known === 1;
    const rows = next.filter(({ known }) => known === next[0]!.known);
    after = rows.at(-1)!.n;
    const origins = new Map(
      rows.map(({ key, scraper, input, lane, depth, chain }): [PlannedItem, Origin] => {
        const from = { depth: depth ?? 0, chain: chain ?? 0 };
        const cap = isKnown ? undefined : capOf(spec, { scraper, ...from });
        const item = { key, scraper, input: input ?? "{}", lane: lane ?? UNKNOWN_LANE };
        return [item, { ...from, ...(cap && { cap }) }];
      }),
    );
    const items = [...origins.keys()];
    const placed = await store.transact(
      [want("job", number), ...insertWants(job, items)],
      (tx) => {
        const room = isKnown ? Infinity : spec.maxItems - tx.known("job", number)!.accepted;
        const inserted = insertItems(tx, number, items, room, Infinity, (item) => origins.get(item)!);
        countInputs(tx, number, { ...inserted, received: 0, folded: 0 });
        return (["item", "capped"] as const).flatMap((kind) => [...(tx.records.get(kind)?.values() ?? [])]);
      },
      false,
    );
    await db.write(() => {
      for (const item of placed as (Item | CappedItem)[]) notePlace(db, item, "cap" in item);
    }, false);
    onProgress(0);
  }
};

const finishJob = (db: Database, { view }: LostJob, received: Received, tally: Tally): void => {
  const job = jobNamed(db, view.spec.id);
  const state = stateOf(view, tally.open);
  const isEnded = state !== "paused";
  // Nobody claims by the cursor: everything that has not ended is due.
  db.run(
    `UPDATE queues SET cursor = tail, has_fresh = 0,
       due_at = (SELECT min(due_at) FROM retries r WHERE ? AND r.queue = queues.id AND due_at IS NOT NULL) WHERE job = ?`,
    isEnded ? 0 : 1,
    job.number,
  );
  const { accepted, capped, spec } = job;
  const { requests, bytes, costs, failures, fieldCounts, isOutdated } = tally;
  const { rejected, rejects } = received;
  const next: Job = {
    ...job,
    state,
    spec: !isEnded && isOutdated ? { ...spec, isAmending: true } : spec,
    isSealed: isEnded || view.isSealed,
    endedAt: isEnded ? (view.endedAt ?? db.now()) : null,
    paused: state === "done" ? null : { ...REBUILT, at: db.now() },
    spentAt: isEnded ? (view.budgetSpentAt ?? null) : null,
    received: received.received,
    folded: received.received - accepted - sumOf(capped) - rejected,
    rejected,
    rejects: isEnded ? view.rejects : rejects,
    requests,
    bytes,
    costs,
    failures,
    fieldCounts,
    ...(isEnded && view.endedAt !== undefined && countsOf(view)),
  };
  writeCounted(db, next, countItems(db, next, new Map()));
  const { failureTimes } = tally;
  if (Object.keys(failureTimes.buckets).length > 0)
    writeRecords(db, "failureTimes", [{ ...failureTimes, job: job.number }]);
  const { pagesRemoved } = view;
  if (!isEnded || view.endedAt === undefined || !pagesRemoved) return;
  db.run(
    `INSERT INTO removals (number, id, client, scraper, what, created_at, ended_at, marked_at, captures, bytes)
     VALUES (?, ?, ?, ?, 'pages', ?, ?, ?, ?, ?)`,
    job.number,
    job.id,
    job.client,
    spec.scraper,
    view.createdAt,
    view.endedAt,
    pagesRemoved.at,
    pagesRemoved.captures,
    pagesRemoved.bytes,
  );
};

/** A job that had ended stays ended; any other waits until someone resumes it. */
const stateOf = ({ state, endedAt, budgetSpentAt }: JobView, openItems: number): JobState => {
  if (state === "cancelled") return "cancelled";
  return endedAt !== undefined && (openItems === 0 || budgetSpentAt !== undefined) ? "done" : "paused";
};

/** Counters of an ended job are those that the ledger reported. */
const countsOf = (view: JobView) => {
  const { counts, requests, bytes, costs = {}, fieldCounts, failures, attemptFailures, changes } = view;
  const { received, folded, rejected } = counts;
  const finals = new Map(failures.map((one) => [one.kind, one]));
  const kinds = new Set([...finals.keys(), ...(Object.keys(attemptFailures) as FailureKind[])]);
  const counted = [...kinds].map((kind): [FailureKind, FailureCount] => {
    const { count = 0, exampleKey = "", exampleDetail = "" } = finals.get(kind) ?? {};
    return [kind, { final: count, attempts: attemptFailures[kind] ?? 0, exampleKey, exampleDetail }];
  });
  return {
    received,
    folded,
    rejected,
    requests,
    bytes,
    costs,
    fieldCounts,
    failures: Object.fromEntries(counted),
    changes: changes ?? {},
  };
};

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, n) => sum + n, 0);

const reportOf = (job: Job, { lost, withoutInput }: Tally): RebuiltJob => {
  const { id, state, accepted: items } = job;
  const ended = endedOf(job);
  return {
    job: id,
    state,
    items,
    ended,
    queued: items - ended,
    capped: sumOf(job.capped),
    lost,
    withoutInput,
  };
};
