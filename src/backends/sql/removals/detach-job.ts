import type { ItemRef } from "../../../domain/item.ts";
import type { LastResult, Result } from "../../../ledger/records.ts";
import { LATE_MS } from "../../../ledger/upkeep.ts";
import type { StoredObject, Sweep } from "../../../ports/removals.ts";
import { type Connection, readRecords, type Rows, writeRecords } from "../rows.ts";
import { FORMATS, type Value } from "../tables.ts";
import { addWorkSums, BATCH, removalRow, type RemovalRow } from "./removal-row.ts";

/** After this no item can be answered with what the job has: what points to it now is all that ever will. */
export const forgetFresh = (db: Connection, removal: RemovalRow): boolean => {
  const rows = db.all<ItemRef & { readonly key: string }>(
    `SELECT i.queue, i.seq, i.key FROM queues q CROSS JOIN items i ON i.queue = q.id
     AND i.seq > CASE q.id WHEN ?2 THEN ?3 ELSE 0 END WHERE q.job = ?1 AND q.id >= ?2 ORDER BY q.id, i.seq LIMIT ${BATCH}`,
    removal.number,
    removal.queue,
    removal.seq,
  );
  db.run(
    "DELETE FROM fresh WHERE job = ?1 AND key IN (SELECT value FROM json_each(?2))",
    removal.id,
    JSON.stringify(rows.map(({ key }) => key)),
  );
  return moveOn(db, removal, rows);
};

/** Notes the objects that items of other jobs point to. An item that only names the one it was answered with gets what that one has. */
export const noteLent = (db: Connection, removal: RemovalRow): boolean => {
  const results = borrowersAfter(db, removal.id, removal);
  for (const result of results) {
    const { captures, records } = adopted(db, result);
    for (const object of objectsOf(removal.id, {
      captures,
      records: removal.what === "job" ? records : null,
    }))
      db.run(
        "INSERT INTO kept_objects (owner, object) VALUES (?, ?) ON CONFLICT DO NOTHING",
        removal.id,
        object,
      );
  }
  return moveOn(db, removal, results);
};

const adopted = (db: Connection, result: Result): Result => {
  const { captures, records, skipped } = result;
  const from = skipped?.from;
  const [source] =
    captures.length > 0 || records || !from ? [] : readRecords(db, "result", from.queue, from.seq);
  if (!source) return result;
  const own = { ...result, captures: source.captures, records: source.records };
  writeRecords(db, "result", [own]);
  return own;
};

/** Items of other jobs that point to what the job has. */
const borrowersAfter = (rows: Rows, owner: string, after: ItemRef): Result[] =>
  rows
    .arrays<Value[]>(
      `SELECT ${FORMATS.result.columnsOf("r")} FROM borrowed b CROSS JOIN results r ON r.queue = b.queue AND r.seq = b.seq
       WHERE b.owner = ?1 AND (b.queue, b.seq) > (?2, ?3) ORDER BY b.queue, b.seq LIMIT ${BATCH}`,
      owner,
      after.queue,
      after.seq,
    )
    .map((row) => FORMATS.result.read(row));

/** Those of the owner's, each once. */
const objectsOf = (
  owner: string,
  { captures, records }: Pick<LastResult, "captures" | "records">,
): Set<string> =>
  new Set(
    [...captures, ...(records ? [records] : [])]
      .map(({ blob }) => blob)
      .filter((blob) => blob.startsWith(`jobs/${owner}/`)),
  );

/** False when there was nothing left: then the step is at its end. */
const moveOn = (db: Connection, { number }: RemovalRow, rows: readonly ItemRef[]): boolean => {
  const last = rows.at(-1);
  if (last) db.run("UPDATE removals SET queue = ?, seq = ? WHERE number = ?", last.queue, last.seq, number);
  return last !== undefined;
};

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
