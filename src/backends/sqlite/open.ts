import type { PulseLimits } from "../../ledger/pulse.ts";
import { ledgerVerbs } from "../../ledger/verbs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { awaitWork } from "./await-work.ts";
import { openRemovals } from "../sql/removals/open-removals.ts";
import { tidyRecords } from "../sql/tidy.ts";
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
  return {
    ...ledgerVerbs(store, options),
    ...openReads(db),
    awaitWork: (filter, ms) => awaitWork(db, store, filter, ms),
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
