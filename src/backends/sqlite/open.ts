import { setTimeout as delay } from "node:timers/promises";
import type { WorkSums } from "../../domain/work-sums.ts";
import { hasWork, workWants } from "../../ledger/claim.ts";
import type { PulseLimits } from "../../ledger/pulse.ts";
import { ledgerVerbs } from "../../ledger/verbs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { lastEvent, openEventLog } from "../sql/event-log.ts";
import { listItems } from "../sql/list-items.ts";
import { readFresh } from "../sql/read-fresh.ts";
import {
  countAccepted,
  countKeptBytes,
  readSpending,
  countOpenJobs,
  listJobs,
  readJob,
  sumOpenJobs,
} from "../sql/read-jobs.ts";
import { listLanes, listWorkers } from "../sql/read-lanes.ts";
import { openRemovals } from "../sql/removals/open-removals.ts";
import { readBacklog } from "../sql/read-backlog.ts";
import type { Rows } from "../sql/rows.ts";
import type { Steps } from "../sql/steps.ts";
import { tidyRecords } from "../sql/tidy.ts";
import { startCheckpoints } from "./checkpoint-thread.ts";
import { Database, type SqliteOptions } from "./database.ts";
import { sqliteStore } from "./store.ts";

export interface LedgerOptions extends SqliteOptions, Partial<PulseLimits> {
  /** With `checkpoints: false`: a thread does them, for as long as the ledger is open. */
  readonly hasCheckpointThread?: boolean;
}

/** One file, write-ahead log; several processes of one machine may have it open at the same time. */
export const openSqlite = async (file: string, options: LedgerOptions = {}): Promise<Ledger> => {
  const db = await Database.open(file, options);
  const store = sqliteStore(db);
  const checkpoints = options.hasCheckpointThread ? startCheckpoints(file) : undefined;
  const verbs = ledgerVerbs(store, options);
  return {
    ...verbs,
    ...openReads(db),
    awaitWork: (filter, ms) =>
      awaitChange(db, () => store.read(workWants(filter), (tx) => hasWork(tx, filter)), ms),
    events: {
      ...verbs.events,
      ...openEventLog(db),
      await: (after, ms) => awaitChange(db, () => db.read(() => lastEvent(db) > after), ms),
    },
    removals: openRemovals(db),
    tidy: async () => {
      await tidyRecords(db);
      if (!checkpoints) await db.checkpoint();
    },
    close: async () => {
      await checkpoints?.[Symbol.asyncDispose]();
      db.close();
    },
  };
};

/** Between two looks at whether the file has changed, which take no lock. */
const LOOK_MS = 100;

/** True as soon as it is so, false after `ms`. Where nothing was written nothing can have become so; where something was, a read tells. */
export const awaitChange = async (
  db: Database,
  isSo: () => Promise<boolean>,
  ms: number,
): Promise<boolean> => {
  const until = performance.now() + ms;
  let seen = "";
  while (db.isOpen) {
    const version = db.version();
    if (version !== seen && (await isSo())) return true;
    seen = version;
    const leftMs = until - performance.now();
    if (leftMs <= 0) break;
    await delay(Math.min(LOOK_MS, leftMs));
  }
  return false;
};

type Reads = Pick<
  Ledger,
  | ("readJob" | "listJobs" | "sumOpenJobs" | "listItems" | "listLanes" | "listWorkers")
  | (
      | "countAccepted"
      | "readSpending"
      | "countOpenJobs"
      | "countKeptBytes"
      | "readFresh"
      | "readWorkSums"
      | "readBacklog"
    )
>;

/** What only reads, each in one consistent view. */
export const openReads = (db: Database): Reads => ({
  readJob: (job) => db.read(() => readJob(db, db.now(), job)),
  listJobs: (query) => db.read(() => listJobs(db, db.now(), query)),
  sumOpenJobs: () => db.read(() => sumOpenJobs(db)),
  listItems: (job, query) => db.read(() => listItems(db, db.now(), job, query)),
  listLanes: (query) => db.read(() => listLanes(db, db.now(), query)),
  listWorkers: () => db.read(() => listWorkers(db, db.now())),
  countAccepted: (client, sinceAt) => db.read(() => countAccepted(db, client, sinceAt)),
  readSpending: (client) => db.read(() => readSpending(db, db.now(), client)),
  countOpenJobs: (client) => db.read(() => countOpenJobs(db, client)),
  countKeptBytes: (client) => db.read(() => countKeptBytes(db, client)),
  readFresh: (keys) => db.read(() => readFresh(db, keys)),
  readWorkSums: () => db.read(() => readWorkSums(db)),
  readBacklog: (of) => db.read(() => takeSteps(db, readBacklog(db.now(), of))),
});

const takeSteps = <T>(rows: Rows, steps: Steps<T>): T => {
  let next = steps.next();
  while (next.done !== true) {
    const step = next.value;
    if (step.ask !== "arrays" && step.ask !== "all") throw new Error(`not a read: ${step.ask}`);
    const { sql, values } = step;
    next = steps.next(step.ask === "all" ? rows.all(sql, ...values) : rows.arrays(sql, ...values));
  }
  return next.value;
};

const readWorkSums = (rows: Rows): WorkSums =>
  Object.fromEntries(rows.arrays<[string, number]>("SELECT name, value FROM work_sums ORDER BY name"));
