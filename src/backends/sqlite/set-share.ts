import type { Database } from "./database.ts";

export const setShare = async (
  db: Database,
  client: string,
  { weight, maxRunning }: { readonly weight: number; readonly maxRunning?: number },
): Promise<void> =>
  await db.write(
    () =>
      void db.run(
        `INSERT INTO clients (name, weight, max_running) VALUES (?, ?, ?)
         ON CONFLICT (name) DO UPDATE SET weight = excluded.weight, max_running = excluded.max_running`,
        client,
        weight,
        maxRunning ?? null,
      ),
  );
