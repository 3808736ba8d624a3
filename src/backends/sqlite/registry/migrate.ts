import { LedgerError } from "../../../ports/ledger.ts";
import type { Database } from "../database.ts";
import { registry } from "./migrations/0001-registry.ts";

/** In order; `registry_version` says how many of them the file has. Never change one that was released: add the next. */
const MIGRATIONS = [registry];

export const REGISTRY_VERSION = MIGRATIONS.length;

/** The ledger's tables in the same file have a version of their own. */
export const migrateRegistry = async (db: Database): Promise<void> =>
  await db.write(() => {
    db.run("CREATE TABLE IF NOT EXISTS registry_version (version INTEGER NOT NULL)");
    const version = db.get<{ version: number }>("SELECT version FROM registry_version")?.version ?? 0;
    if (version > REGISTRY_VERSION)
      throw new LedgerError(
        "newer-version",
        `${db.file}: written by a newer Sluice (registry version ${version}, this one knows ${REGISTRY_VERSION}). ` +
          `Update Sluice, or choose another folder with --data.`,
      );
    if (version === REGISTRY_VERSION) return;
    for (const statement of MIGRATIONS.slice(version).flat()) db.run(statement);
    db.run("DELETE FROM registry_version");
    db.run("INSERT INTO registry_version (version) VALUES (?)", REGISTRY_VERSION);
  });
