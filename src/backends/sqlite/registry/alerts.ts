import type { Database } from "../database.ts";

export const readAlert = async (db: Database, id: string): Promise<string | undefined> =>
  await db.read(() => db.get<{ state: string }>("SELECT state FROM alerts WHERE id = ?", id)?.state);

export const saveAlert = async (db: Database, id: string, state: string | null): Promise<void> =>
  await db.write(() => {
    if (state === null) db.run("DELETE FROM alerts WHERE id = ?", id);
    else db.run("INSERT OR REPLACE INTO alerts (id, state) VALUES (?, ?)", id, state);
  });
