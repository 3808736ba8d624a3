import { setTimeout as delay } from "node:timers/promises";
import { hasWork, workWants } from "../../ledger/claim.ts";
import type { PulseLimits } from "../../ledger/pulse.ts";
import { ledgerVerbs } from "../../ledger/verbs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { lastEvent, openEventLog } from "../sql/event-log.ts";
import { openDocuments } from "../sql/read-documents.ts";
import { openReads } from "../sql/open-reads.ts";
import { openRemovals } from "../sql/removals/open-removals.ts";
import { tidyRecords } from "../sql/tidy.ts";
import { startCheckpoints } from "./checkpoint-thread.ts";
import { Database, type SqliteOptions } from "./database.ts";
import { sqliteSteps } from "./run-steps.ts";
import { sqliteStore } from "./store.ts";

export interface LedgerOptions extends SqliteOptions, Partial<PulseLimits> {
  /** With `checkpoints: false`, a thread does them, for as long as the ledger is open. */
  readonly hasCheckpointThread?: boolean;
}

/** One file with a write-ahead log; several processes of one machine may have it open at the same time. */
export const openSqlite = async (file: string, options: LedgerOptions = {}): Promise<Ledger> => {
  const db = await Database.open(file, options);
  const store = sqliteStore(db);
  const steps = sqliteSteps(db);
  const checkpoints = options.hasCheckpointThread ? startCheckpoints(file) : undefined;
  const verbs = ledgerVerbs(store, options);
  return {
    ...verbs,
    ...openReads(steps),
    awaitWork: (filter, ms) =>
      awaitChange(db, () => store.read(workWants(filter), (tx) => hasWork(tx, filter)), ms),
    events: {
      ...verbs.events,
      ...openEventLog(steps),
      await: (after, ms) => awaitChange(db, async () => (await steps.read(lastEvent)) > after, ms),
    },
    removals: openRemovals(steps),
    documents: { ...verbs.documents, ...openDocuments(steps) },
    tidy: async () => {
      await tidyRecords(steps);
      if (!checkpoints) await db.checkpoint();
    },
    close: async () => {
      await checkpoints?.[Symbol.asyncDispose]();
      db.close();
    },
  };
};

/** Interval between two checks whether the file has changed, which need no lock. */
const LOOK_MS = 100;

/**
 * True as soon as the condition holds, false after `ms`. If nothing was written, the condition cannot have changed; otherwise a
 * read checks it.
 */
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
