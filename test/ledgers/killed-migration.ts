import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { LEDGER_SCHEMA, migrate } from "../../src/backends/sqlite/migrate.ts";

/** Migrates the ledger named on the command line, and is killed after the last statement, before the commit. */
const file = process.argv[2]!;
const db = new DatabaseSync(file);
// So little memory that most of what is changed is in the file's log already.
db.exec("PRAGMA journal_mode = WAL; PRAGMA cache_size = 5; BEGIN IMMEDIATE");
db.function("killed", () => {
  if (statSync(`${file}-wal`).size > 100_000) process.kill(process.pid, "SIGKILL");
  return 0;
});
migrate(db, file, { part: "ledger", migrations: [...LEDGER_SCHEMA.migrations, "SELECT killed();"] });
