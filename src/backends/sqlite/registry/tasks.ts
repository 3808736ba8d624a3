import type { Database } from "../database.ts";

export const holdTask = async (
  db: Database,
  task: string,
  holder: string,
  forMs: number,
): Promise<boolean> => {
  const now = db.now();
  const held = await db.read(() =>
    db.get<{ holder: string; held_until: number }>("SELECT * FROM duties WHERE duty = ?", task),
  );
  // Those whose turn it is not ask again and again: without the write lock.
  if (held && held.holder !== holder && held.held_until > now) return false;
  return await db.write(() => {
    const at = db.now();
    return (
      db.run(
        `INSERT INTO duties (duty, holder, held_until) VALUES (?1, ?2, ?3)
         ON CONFLICT (duty) DO UPDATE SET holder = ?2, held_until = ?3 WHERE holder = ?2 OR held_until <= ?4`,
        task,
        holder,
        at + forMs,
        at,
      ) > 0
    );
  }, false);
};

export const dropTask = async (db: Database, task: string, holder: string): Promise<void> =>
  await db.write(() => void db.run("DELETE FROM duties WHERE duty = ? AND holder = ?", task, holder), false);

export const readAlert = async (db: Database, id: string): Promise<string | undefined> =>
  await db.read(() => db.get<{ state: string }>("SELECT state FROM alerts WHERE id = ?", id)?.state);

export const saveAlert = async (db: Database, id: string, state: string | null): Promise<void> =>
  await db.write(() => {
    if (state === null) db.run("DELETE FROM alerts WHERE id = ?", id);
    else db.run("INSERT OR REPLACE INTO alerts (id, state) VALUES (?, ?)", id, state);
  });
