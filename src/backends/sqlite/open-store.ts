import type { LedgerStore } from "../../ledger/store.ts";
import { Database, type SqliteOptions } from "./database.ts";
import { LEDGER_SCHEMA, type Schema } from "./migrate.ts";
import { records } from "./migrations/0020-records.ts";
import { sqliteStore } from "./store.ts";

/** The ledger's tables with the records that its rules work on. */
export const RECORDS_SCHEMA: Schema = { part: "ledger", migrations: [...LEDGER_SCHEMA.migrations, records] };

export const openStore = async (
  file: string,
  options: SqliteOptions = {},
): Promise<{ readonly db: Database; readonly store: LedgerStore }> => {
  const db = await Database.open(file, options, [RECORDS_SCHEMA]);
  return { db, store: sqliteStore(db) };
};
