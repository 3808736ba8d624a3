import type { DatabaseSync } from "node:sqlite";
import { LedgerError } from "../../ports/ledger.ts";
import { start } from "./migrations/0001-start.ts";
import { emit } from "./migrations/0002-emit.ts";
import { service } from "./migrations/0003-service.ts";
import { fresh } from "./migrations/0004-fresh.ts";
import { work } from "./migrations/0005-work.ts";
import { versions } from "./migrations/0006-versions.ts";

/** In order; the file's `user_version` says how many of them it has. Never change one that was released: add the next. */
const MIGRATIONS = [start, emit, service, fresh, work, versions];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Call with the write lock held: another process may be doing the same. */
export const migrate = (db: DatabaseSync, file: string): void => {
  const row = db.prepare("PRAGMA user_version").get() as { user_version: number };
  if (row.user_version > SCHEMA_VERSION)
    throw new LedgerError(
      "newer-version",
      `${file}: written by a newer Sluice (ledger version ${row.user_version}, this one knows ${SCHEMA_VERSION}). ` +
        `Update Sluice, or choose another folder with --data.`,
    );
  for (const sql of MIGRATIONS.slice(row.user_version)) db.exec(sql);
  db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
};
