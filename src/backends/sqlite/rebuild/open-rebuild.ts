import { open, rm } from "node:fs/promises";
import type { LedgerRebuild } from "../../../ports/ledger-rebuild.ts";
import { Database } from "../database.ts";
import { LEDGER_SCHEMA, REGISTRY_SCHEMA } from "../migrate.ts";
import { addLostJob } from "./add-job.ts";
import { openCatalog } from "./catalog.ts";

/** A new ledger in this file, in place of what a rebuild that was broken off has left there. */
export const openRebuild = async (file: string): Promise<LedgerRebuild> => {
  for (const end of ["", "-wal", "-shm", "-catalog"]) await rm(`${file}${end}`, { force: true });
  const db = await Database.open(file, { cacheMb: 64 }, [LEDGER_SCHEMA, REGISTRY_SCHEMA]);
  const catalog = `${file}-catalog`;
  openCatalog(db, catalog);
  return {
    addJob: (job) => addLostJob(db, job),
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
