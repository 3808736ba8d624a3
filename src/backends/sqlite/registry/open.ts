import type { Registry } from "../../../ports/registry.ts";
import { registryOn } from "../../sql/registry/open-registry.ts";
import { Database, type SqliteOptions } from "../database.ts";
import { LEDGER_SCHEMA, REGISTRY_SCHEMA } from "../migrate.ts";
import { sqliteSteps } from "../run-steps.ts";

/** In the ledger's own file, over a separate connection; several processes of one machine may have it open at the same time. */
export const openRegistry = async (
  file: string,
  options: Pick<SqliteOptions, "now" | "lockMs" | "checkpoints"> = {},
): Promise<Registry> => {
  const db = await Database.open(file, { cacheMb: 4, ...options }, [LEDGER_SCHEMA, REGISTRY_SCHEMA]);
  return { ...registryOn(sqliteSteps(db)), close: async () => db.close() };
};
