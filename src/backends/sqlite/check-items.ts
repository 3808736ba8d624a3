import type { SQLOutputValue, StatementSync } from "node:sqlite";
import { itemHash } from "./insert-items.ts";
import type { JobRow } from "./job-row.ts";
import { nextHash } from "./key-hash.ts";
import { historySum, ITEM_TEXT, RESULT_COLUMNS, rowSum } from "./row-sums.ts";

type Prepare = (sql: string) => StatementSync;

export interface CheckedItem {
  readonly key: string;
  /** Undefined where an older version wrote it without a checksum. */
  readonly problem: string | undefined;
}

/** Those of a job's items that are damaged, or that nobody can tell of. `isWhole`: all of its rows must have a checksum. */
export function* checkItems(prepare: Prepare, job: JobRow, isWhole: boolean): Generator<CheckedItem> {
  yield* checkResults(prepare, job, isWhole);
  yield* checkKeys(prepare, job);
}

function* checkResults(prepare: Prepare, job: JobRow, isWhole: boolean): Generator<CheckedItem> {
  const find = prepare(
    `SELECT ${RESULT_COLUMNS.map((name) => `r.${name}`).join(", ")}, ${ITEM_TEXT}, i.key, r.sum, r.history, r.history_sum
     FROM queues q JOIN items i ON i.queue = q.id LEFT JOIN results r ON r.queue = i.queue AND r.seq = i.seq
     WHERE q.job = ? AND (r.queue IS NOT NULL OR i.state > 2 OR i.attempts > 0 OR i.throttles > 0)`,
  );
  find.setReturnArrays(true);
  find.setReadBigInts(true); // a damaged number may be a large one
  const covered = RESULT_COLUMNS.length + 1;
  for (const row of find.iterate(job.number) as Iterable<unknown> as Iterable<SQLOutputValue[]>) {
    const [key, sum, history, past] = row.slice(covered) as [string, ...(bigint | string | null)[]];
    const [queue, seq] = row;
    if (queue === null) {
      yield { key, problem: "it has ended or was tried, and has no result" };
      continue;
    }
    const isUnsummed = sum === null || (history !== null && past === null);
    const fits =
      (sum === null || Number(sum) === rowSum(row.slice(0, covered))) &&
      (past === null || Number(past) === historySum(queue, seq, history));
    if (!fits || (isUnsummed && isWhole))
      yield { key, problem: "what is stored of it does not fit its checksum" };
    else if (isUnsummed) yield { key, problem: undefined };
  }
}

/** An item is found by the hash of its key. */
function* checkKeys(prepare: Prepare, job: JobRow): Generator<CheckedItem> {
  const find = prepare("SELECT queue, seq FROM item_keys WHERE job = ? AND hash = ?");
  const items = prepare(
    "SELECT i.queue, i.seq, i.key, i.scraper FROM queues q JOIN items i ON i.queue = q.id WHERE q.job = ?",
  );
  for (const { queue, seq, key, scraper } of items.iterate(job.number) as Iterable<
    Record<"queue" | "seq" | "scraper", number> & { readonly key: string }
  >) {
    let hash = itemHash(key, scraper, job.key_seed);
    let found = find.get(job.number, hash);
    while (found && (found["queue"] !== queue || found["seq"] !== seq)) {
      hash = nextHash(hash);
      found = find.get(job.number, hash);
    }
    if (!found) yield { key, problem: "it is not found by its key" };
  }
}
