import type { ClientShares } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";

export const setShare = async (
  db: Database,
  client: string,
  { weight, maxRunning, itemsPerDay }: ClientShares,
): Promise<void> =>
  await db.write(
    () =>
      void db.run(
        `INSERT INTO clients (name, weight, max_running, items_per_day) VALUES (?, ?, ?, ?)
         ON CONFLICT (name) DO UPDATE SET weight = excluded.weight, max_running = excluded.max_running,
           items_per_day = excluded.items_per_day`,
        client,
        weight,
        maxRunning ?? null,
        itemsPerDay ?? null,
      ),
  );
