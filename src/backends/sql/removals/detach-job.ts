import type { ItemRef } from "../../../domain/item.ts";
import type { LastResult, Result } from "../../../ledger/records.ts";
import { LATE_MS } from "../../../ledger/upkeep.ts";
import type { StoredObject, Sweep } from "../../../ports/removals.ts";
import { all, arrays, load, put, run, type StepEngine, type Steps } from "../steps.ts";
import { FORMATS, type Value } from "../tables.ts";
import { addWorkSum, BATCH, removalRow, type RemovalRow } from "./removal-row.ts";

/** After this, no item can be answered with data of the job: no new references to it can appear. */
export function* forgetFresh(removal: RemovalRow): Steps<boolean> {
  const rows = yield* all<ItemRef & { readonly key: string }>(
    `SELECT i.queue, i.seq, i.key FROM queues q CROSS JOIN items i ON i.queue = q.id
     AND i.seq > CASE WHEN q.id = ?2 THEN CAST(?3 AS BIGINT) ELSE 0 END WHERE q.job = ?1 AND q.id >= ?2 ORDER BY q.id, i.seq LIMIT ${BATCH}`,
    removal.number,
    removal.queue,
    removal.seq,
  );
  yield* run(
    "DELETE FROM fresh WHERE job = ?1 AND key IN (SELECT value FROM @list(?2 text) l)",
    removal.id,
    JSON.stringify(rows.map(({ key }) => key)),
  );
  return yield* moveOn(removal, rows);
}

/** Records the objects that items of other jobs point to. An item that only names the item it was answered with gets that item's data. */
export function* noteLent(removal: RemovalRow): Steps<boolean> {
  const results = yield* borrowersAfter(removal.id, removal, true);
  const lent = new Set<string>();
  for (const result of results) {
    const { captures, records } = yield* adopted(result);
    const own = objectsOf(removal.id, { captures, records: removal.what === "job" ? records : null });
    for (const object of own) lent.add(object);
  }
  yield* run(
    "INSERT INTO kept_objects (owner, object) SELECT CAST(?1 AS TEXT), value FROM @list(?2 text) l WHERE true ON CONFLICT DO NOTHING",
    removal.id,
    JSON.stringify([...lent]),
  );
  return yield* moveOn(removal, results);
}

function* adopted(result: Result): Steps<Result> {
  const { captures, records, skipped } = result;
  const from = skipped?.from;
  const [source] = captures.length > 0 || records || !from ? [] : yield* load("result", from.queue, from.seq);
  if (!source) return result;
  const own = { ...result, captures: source.captures, records: source.records };
  yield* put("result", [own]);
  return own;
}

/** Items of other jobs that point to data of the job. */
function* borrowersAfter(owner: string, after: ItemRef, isLocked: boolean): Steps<Result[]> {
  const rows = yield* arrays<Value[]>(
    `SELECT ${FORMATS.result.columnsOf("r")} FROM borrowed b CROSS JOIN results r ON r.queue = b.queue AND r.seq = b.seq
     WHERE b.owner = ?1 AND (b.queue, b.seq) > (?2, ?3) ORDER BY b.queue, b.seq LIMIT ${BATCH} ${isLocked ? "@lock" : ""}`,
    owner,
    after.queue,
    after.seq,
  );
  return rows.map((row) => FORMATS.result.read(row));
}

/** Objects of the owner, each once. */
const objectsOf = (
  owner: string,
  { captures, records }: Pick<LastResult, "captures" | "records">,
): Set<string> =>
  new Set(
    [...captures, ...(records ? [records] : [])]
      .map(({ blob }) => blob)
      .filter((blob) => blob.startsWith(`jobs/${owner}/`)),
  );

/** False if nothing was left: then the step is complete. */
function* moveOn({ number }: RemovalRow, rows: readonly ItemRef[]): Steps<boolean> {
  const last = rows.at(-1);
  if (last)
    yield* run("UPDATE removals SET queue = ?, seq = ? WHERE number = ?", last.queue, last.seq, number);
  return last !== undefined;
}

const namesOf = (objects: readonly StoredObject[]): string => JSON.stringify(objects.map(({ name }) => name));

/** Counted before they are deleted, up to a name: after a crash in between, they are deleted and not counted again. */
export function* releaseObjects(id: string, objects: readonly StoredObject[]): Steps<StoredObject[]> {
  const removal = yield* removalRow(id);
  if (!removal) return [];
  const lent = yield* arrays<[string]>(
    "SELECT object FROM kept_objects WHERE owner = ? AND object IN (SELECT value FROM @list(? text) l)",
    id,
    namesOf(objects),
  );
  const names = new Set(lent.map(([name]) => name));
  for (const { name, size } of objects.filter((object) => names.has(object.name)))
    yield* run("UPDATE kept_objects SET size = ? WHERE owner = ? AND object = ?", size, id, name);
  const free = objects.filter(({ name }) => !names.has(name));
  const last = objects.at(-1)?.name ?? "";
  const bytes = free.filter(({ name }) => name > removal.counted_to).reduce((sum, { size }) => sum + size, 0);
  yield* run(
    "UPDATE removals SET bytes = bytes + ?, counted_to = ? WHERE number = ?",
    bytes,
    last > removal.counted_to ? last : removal.counted_to,
    removal.number,
  );
  yield* addWorkSum("removed bytes", bytes);
  return free;
}

/** An owner that is being removed is skipped: it has not yet recorded everything that it keeps. */
export const dueSweeps = (now: number, limit: number): Steps<Sweep[]> =>
  all<Sweep>(
    `SELECT s.owner AS job, r.what, s.asked FROM sweeps s JOIN removals r ON r.id = s.owner
     WHERE s.due_at <= ? AND r.step IS NULL ORDER BY s.due_at LIMIT ?`,
    now,
    limit,
  );

/** Nothing can refer to them again, so one pass is enough, page by page. */
export const freedObjects = async (db: StepEngine, owner: string): Promise<string[]> => {
  const kept = await db.read(() =>
    arrays<[string]>("SELECT object FROM kept_objects WHERE owner = ?", owner),
  );
  if (kept.length === 0) return [];
  const needed = new Set<string>();
  for (let after = { queue: 0, seq: 0 }; ;) {
    const results = await db.read(() => borrowersAfter(owner, after, false));
    for (const result of results) for (const object of objectsOf(owner, result)) needed.add(object);
    const last = results.at(-1);
    if (!last) break;
    after = last;
  }
  return kept.map(([object]) => object).filter((object) => !needed.has(object));
};

export const forgetObjects = async (
  db: StepEngine,
  owner: string,
  objects: readonly string[],
): Promise<void> => {
  for (let from = 0; from < objects.length; from += BATCH)
    await db.write("removals", () => forgetSome(owner, objects.slice(from, from + BATCH)));
};

function* forgetSome(owner: string, objects: readonly string[]): Steps<void> {
  const gone = yield* arrays<[number]>(
    "DELETE FROM kept_objects WHERE owner = ? AND object IN (SELECT value FROM @list(? text) l) RETURNING size",
    owner,
    JSON.stringify(objects),
  );
  const bytes = gone.reduce((sum, [size]) => sum + size, 0);
  yield* run("UPDATE removals SET bytes = bytes + ? WHERE id = ?", bytes, owner);
  yield* addWorkSum("removed bytes", bytes);
}

export function* endSweep(now: number, { job, asked }: Sweep): Steps<void> {
  const lateAt = Math.min(now, (yield* removalRow(job))?.marked_at ?? 0) + LATE_MS;
  if (now < lateAt)
    yield* run("UPDATE sweeps SET due_at = ? WHERE owner = ? AND asked = ?", lateAt, job, asked);
  else yield* run("DELETE FROM sweeps WHERE owner = ? AND asked = ?", job, asked);
  yield* run("UPDATE removals SET counted_to = '' WHERE id = ?", job);
}
