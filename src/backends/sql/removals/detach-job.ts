import type { LastResult, Result } from "../../../ledger/records.ts";
import type { ItemRef } from "../../../domain/item.ts";
import { type Connection, readRecords, type Rows, writeRecords } from "../rows.ts";
import { FORMATS, type Value } from "../tables.ts";
import { BATCH, type RemovalRow } from "./removal-row.ts";

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
export const borrowersAfter = (rows: Rows, owner: string, after: ItemRef): Result[] =>
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
export const objectsOf = (
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
