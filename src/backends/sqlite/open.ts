import type { PulseLimits } from "../../ledger/pulse.ts";
import { hasWork, workWants } from "../../ledger/claim.ts";
import { ledgerVerbs } from "../../ledger/verbs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { lastEvent, openEventLog } from "../sql/event-log.ts";
import { openRemovals } from "../sql/removals/open-removals.ts";
import { tidyRecords } from "../sql/tidy.ts";
import { awaitChange } from "./await-change.ts";
import { startCheckpoints } from "./checkpoint-thread.ts";
import { Database, type SqliteOptions } from "./database.ts";
import { openReads } from "./open-reads.ts";
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
