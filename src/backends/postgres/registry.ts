import type { Registry } from "../../ports/registry.ts";
import { registryOn } from "../sql/registry/open-registry.ts";
import { migrate } from "./migrate.ts";
import { openPool, type PoolOptions } from "./pool.ts";
import { postgresSteps } from "./run-steps.ts";
import type { StoreOptions } from "./store.ts";

/** In the ledger's own database, over separate connections. */
export const openPostgresRegistry = async (
  url: string,
  options: PoolOptions & StoreOptions = {},
): Promise<Registry> => {
  const pool = await openPool(url, options);
  try {
    await migrate(pool);
  } catch (error) {
    await pool.close();
    throw error;
  }
  return { ...registryOn(postgresSteps(pool, options)), close: () => pool.close() };
};
