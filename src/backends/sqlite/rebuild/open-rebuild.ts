import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { LedgerError } from "../../../ports/ledger.ts";
import type { LedgerRebuild } from "../../../ports/ledger-check.ts";
import { Database } from "../database.ts";
import { LEDGER_SCHEMA, REGISTRY_SCHEMA } from "../migrate.ts";
import { sqliteStore } from "../store.ts";
import { addLostJob } from "./add-job.ts";
import { openCatalog } from "./catalog.ts";

/** A new ledger in this file, in place of what a rebuild that was broken off has left there. */
export const openRebuild = async (file: string): Promise<LedgerRebuild> => {
  if (existsSync(file)) refuseLocked(file);
  for (const end of ["", "-wal", "-shm", "-catalog"]) await rm(`${file}${end}`, { force: true });
  const db = await Database.open(file, { cacheMb: 64 }, [LEDGER_SCHEMA, REGISTRY_SCHEMA]);
  // From the next write on nobody else can read it.
  db.get("PRAGMA locking_mode = EXCLUSIVE");
  const store = sqliteStore(db);
  const catalog = `${file}-catalog`;
  openCatalog(db, catalog);
  return {
    addJob: (job) => addLostJob({ db, store }, job),
    async finish() {
      // What happened before the loss has been told, as far as it was.
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

/** Only a rebuild that still runs keeps its file locked; what else is wrong with it does not matter. */
const refuseLocked = (file: string): void => {
  using db = new DatabaseSync(file, { timeout: 0 });
  try {
    db.prepare("SELECT 1 FROM sqlite_schema").get();
  } catch (error) {
    if (error instanceof Error && /locked/.test(error.message))
      throw new LedgerError(
        "locked",
        `${file}: another \`sluice rebuild\` is under way. Wait until it has ended.`,
      );
  }
};
