import type { BlobRange, CaptureRef } from "../../../model/capture.ts";
import type { ItemRef } from "../../../model/item.ts";
import type { Database } from "../database.ts";
import { sumResults } from "../row-sums.ts";
import type { RemovalRow } from "./removal-row.ts";

/** Rows a transaction: none holds the write lock for long. */
const BATCH = 250;

/** After this no item can be answered with what the job has: what points to it now is all that ever will. */
export const forgetFresh = (db: Database, removal: RemovalRow): boolean => {
  const rows = db.all<ItemRef & { readonly key: string }>(
    `SELECT i.queue, i.seq, i.key FROM queues q CROSS JOIN items i ON i.queue = q.id
     WHERE q.job = ?1 AND q.id >= ?2 AND (i.queue > ?2 OR i.seq > ?3) ORDER BY i.queue, i.seq LIMIT ${BATCH}`,
    removal.number,
    removal.queue,
    removal.seq,
  );
  for (const { key } of rows) db.run("DELETE FROM fresh WHERE key = ? AND job = ?", key, removal.id);
  return moveOn(db, removal, rows);
};

interface Borrower extends ItemRef {
  readonly captures: string | null;
  readonly records: string | null;
  readonly from_queue: number | null;
  readonly from_seq: number | null;
}

/** Notes the objects that items of other jobs point to. An item that only names the one it was answered with gets what that one has. */
export const noteLent = (db: Database, removal: RemovalRow): boolean => {
  const rows = borrowersAfter(db, removal.id, removal);
  for (const row of rows) {
    const isEmpty = row.captures === null && row.records === null && row.from_queue !== null;
    const { captures, records } = isEmpty ? adopt(db, row) : row;
    for (const object of objectsOf(removal.id, captures, removal.what === "job" ? records : null))
      db.run("INSERT OR IGNORE INTO kept_objects (owner, object) VALUES (?, ?)", removal.id, object);
  }
  return moveOn(db, removal, rows);
};

const adopt = (db: Database, { queue, seq, from_queue, from_seq }: Borrower) => {
  const source = db.get<Pick<Borrower, "captures" | "records">>(
    "SELECT captures, records FROM results WHERE queue = ? AND seq = ?",
    from_queue,
    from_seq,
  ) ?? { captures: null, records: null };
  db.run(
    "UPDATE results SET captures = ?, records = ? WHERE queue = ? AND seq = ?",
    source.captures,
    source.records,
    queue,
    seq,
  );
  sumResults(db, queue, seq);
  return source;
};

/** Items of other jobs that point to what the job has. */
export const borrowersAfter = (db: Database, owner: string, after: ItemRef): Borrower[] =>
  db.all<Borrower>(
    `SELECT r.queue, r.seq, r.captures, r.records, r.skipped ->> '$.from.queue' AS from_queue, r.skipped ->> '$.from.seq' AS from_seq
     FROM borrowed b CROSS JOIN results r ON r.queue = b.queue AND r.seq = b.seq
     WHERE b.owner = ?1 AND (b.queue, b.seq) > (?2, ?3) ORDER BY b.queue, b.seq LIMIT ${BATCH}`,
    owner,
    after.queue,
    after.seq,
  );

/** Those of the owner's, each once. */
export const objectsOf = (owner: string, captures: string | null, records: string | null): Set<string> => {
  const kept = captures === null ? [] : (JSON.parse(captures) as CaptureRef[]);
  const ranges = records === null ? [] : [JSON.parse(records) as BlobRange];
  return new Set(
    [...kept, ...ranges].map(({ blob }) => blob).filter((blob) => blob.startsWith(`jobs/${owner}/`)),
  );
};

/** False when there was nothing left: then the step is at its end. */
const moveOn = (db: Database, { number }: RemovalRow, rows: readonly ItemRef[]): boolean => {
  const last = rows.at(-1);
  if (last) db.run("UPDATE removals SET queue = ?, seq = ? WHERE number = ?", last.queue, last.seq, number);
  return last !== undefined;
};
