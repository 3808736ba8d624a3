import { LATE_MS } from "../../../ledger/upkeep.ts";
import type { StoredObject, Sweep } from "../../../ports/removals.ts";
import type { Connection } from "../rows.ts";
import { borrowersAfter, objectsOf } from "./detach-job.ts";
import { addWorkSums, BATCH, removalRow } from "./removal-row.ts";

/** Counted before they are deleted, up to a name: after a crash in between they are deleted, and not counted again. */
export const releaseObjects = (
  db: Connection,
  id: string,
  objects: readonly StoredObject[],
): StoredObject[] => {
  const removal = removalRow(db, id);
  if (!removal) return [];
  const free = objects.filter(
    ({ name, size }) =>
      db.run("UPDATE kept_objects SET size = ? WHERE owner = ? AND object = ?", size, id, name) === 0,
  );
  const last = objects.at(-1)?.name ?? "";
  const bytes = free.filter(({ name }) => name > removal.counted_to).reduce((sum, { size }) => sum + size, 0);
  db.run(
    "UPDATE removals SET bytes = bytes + ?, counted_to = ? WHERE number = ?",
    bytes,
    last > removal.counted_to ? last : removal.counted_to,
    removal.number,
  );
  addWorkSums(db, { "removed bytes": bytes });
  return free;
};

/** An owner that is being removed is left to that: it has not yet noted all that it keeps. */
export const dueSweeps = (db: Connection, limit: number): Sweep[] =>
  db.all<Sweep>(
    `SELECT s.owner AS job, r.what, s.asked FROM sweeps s JOIN removals r ON r.id = s.owner
     WHERE s.due_at <= ? AND r.step IS NULL ORDER BY s.due_at LIMIT ?`,
    db.now(),
    limit,
  );

/** Nothing can point to them again, so that one look is enough, page by page. */
export const freedObjects = async (db: Connection, owner: string): Promise<string[]> => {
  const kept = await db.read(() =>
    db.all<{ object: string }>("SELECT object FROM kept_objects WHERE owner = ?", owner),
  );
  if (kept.length === 0) return [];
  const needed = new Set<string>();
  for (let after = { queue: 0, seq: 0 }; ;) {
    const results = await db.read(() => borrowersAfter(db, owner, after));
    for (const result of results) for (const object of objectsOf(owner, result)) needed.add(object);
    const last = results.at(-1);
    if (!last) break;
    after = last;
  }
  return kept.map(({ object }) => object).filter((object) => !needed.has(object));
};

export const forgetObjects = async (
  db: Connection,
  owner: string,
  objects: readonly string[],
): Promise<void> => {
  for (let from = 0; from < objects.length; from += BATCH)
    await db.write(() => {
      const gone = db.all<{ size: number }>(
        "DELETE FROM kept_objects WHERE owner = ? AND object IN (SELECT value FROM json_each(?)) RETURNING size",
        owner,
        JSON.stringify(objects.slice(from, from + BATCH)),
      );
      const bytes = gone.reduce((sum, { size }) => sum + size, 0);
      db.run("UPDATE removals SET bytes = bytes + ? WHERE id = ?", bytes, owner);
      addWorkSums(db, { "removed bytes": bytes });
    });
};

export const endSweep = (db: Connection, { job, asked }: Sweep): void => {
  const lateAt = Math.min(db.now(), removalRow(db, job)?.marked_at ?? 0) + LATE_MS;
  if (db.now() < lateAt)
    db.run("UPDATE sweeps SET due_at = ? WHERE owner = ? AND asked = ?", lateAt, job, asked);
  else db.run("DELETE FROM sweeps WHERE owner = ? AND asked = ?", job, asked);
  db.run("UPDATE removals SET counted_to = '' WHERE id = ?", job);
};
