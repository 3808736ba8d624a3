import { ledgerVerbs } from "../../ledger/verbs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { awaitWork } from "./await-change.ts";
import type { SqliteOptions } from "./database.ts";
import { openReads } from "./open-reads.ts";
import { openStore } from "./open-store.ts";
import { openRemovals } from "../sql/removals/open-removals.ts";
import { keepRobots, readRobots } from "./robots.ts";
import { tidyRecords } from "../sql/tidy.ts";

/** One file, write-ahead log; several processes of one machine may have it open at the same time. */
export const openRecords = async (file: string, options: SqliteOptions = {}): Promise<Ledger> => {
  const { db, store } = await openStore(file, options);
  return {
    ...ledgerVerbs(store, db),
    ...openReads(db),
    awaitWork: (filter, ms) => awaitWork(db, store, filter, ms),
    readRobots: (origin, worker) => readRobots(db, origin, worker),
    keepRobots: (origin, answer) => keepRobots(db, origin, answer),
    removals: openRemovals(db),
    tidy: async () => {
      await tidyRecords(db);
      await db.checkpoint();
    },
    close: async () => db.close(),
  };
};
