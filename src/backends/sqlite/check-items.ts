import { itemHash } from "../../ledger/batch-keys.ts";
import { nextHash } from "../../ledger/key-hash.ts";
import { hasPlace, type Places } from "../../ledger/places.ts";
import type { Job } from "../../ledger/records.ts";
import type { Rows } from "../sql/rows.ts";
import { FORMATS, type Value } from "../sql/tables.ts";

const { item: ITEM, retry: RETRY, result: RESULT } = FORMATS;

/** A connection for reading, with rows one after the other where they may be many. */
export interface Reading extends Rows {
  each(sql: string, ...values: Value[]): Iterable<Value[]>;
}

interface DamagedItem {
  readonly key: string;
  readonly problem: string;
}

/** Those of a job's items that are not as they were written. `leases`: the places that workers hold, by queue. */
export function* checkItems(
  rows: Reading,
  job: Pick<Job, "number" | "keySeed">,
  leases: ReadonlyMap<number, Places>,
): Generator<DamagedItem> {
  yield* checkRows(rows, job.number, leases);
  yield* checkKeys(rows, job);
}

function* checkRows(rows: Reading, job: number, leases: ReadonlyMap<number, Places>): Generator<DamagedItem> {
  const [retryAt, resultAt] = [ITEM.written.length, ITEM.written.length + RETRY.written.length];
  const dueAt = retryAt + RETRY.written.indexOf("due_at");
  for (const row of rows.each(
    `SELECT ${ITEM.columnsOf("i")}, ${RETRY.columnsOf("t")}, ${RESULT.columnsOf("r")}, i.seq <= q.cursor
     FROM queues q CROSS JOIN items i ON i.queue = q.id LEFT JOIN retries t ON t.queue = i.queue AND t.seq = i.seq
     LEFT JOIN results r ON r.queue = i.queue AND r.seq = i.seq WHERE q.job = ?`,
    job,
  )) {
    const [queue, seq] = row as [number, number];
    const key = String(row[2]);
    const [hasRetry, hasResult] = [row[retryAt] !== null, row[resultAt] !== null];
    const fits =
      ITEM.fits(row) && (!hasRetry || RETRY.fits(row, retryAt)) && (!hasResult || RESULT.fits(row, resultAt));
    const isClaimed = row.at(-1) === 1;
    if (!fits) yield { key, problem: "what is stored of it does not fit its checksum" };
    else if (!hasResult && isClaimed && row[dueAt] === null && !hasPlace(leases.get(queue) ?? [], seq))
      yield { key, problem: "it was claimed, nobody has it, and it has no result" };
  }
}

/** An item is found by the hash of its key. */
function* checkKeys(rows: Reading, job: Pick<Job, "number" | "keySeed">): Generator<DamagedItem> {
  const find = (hash: number) =>
    rows.arrays<[number, number]>(
      "SELECT queue, seq FROM item_keys WHERE job = ? AND hash = ?",
      job.number,
      hash,
    )[0];
  for (const row of rows.each(
    "SELECT i.queue, i.seq, i.key, i.scraper FROM queues q JOIN items i ON i.queue = q.id WHERE q.job = ?",
    job.number,
  )) {
    const [queue, seq, key, scraper] = row as [number, number, string, number];
    let hash = itemHash(key, scraper, job);
    let found = find(hash);
    while (found && (found[0] !== queue || found[1] !== seq)) found = find((hash = nextHash(hash)));
    if (!found) yield { key, problem: "it is not found by its key" };
  }
}
