import type { Removal, RemovalScope } from "../../../domain/removal.ts";
import { all, run, type Steps } from "../steps.ts";

export interface RemovalRow {
  readonly number: number;
  readonly id: string;
  readonly client: string;
  readonly scraper: string;
  readonly what: RemovalScope;
  readonly created_at: number;
  readonly ended_at: number;
  readonly marked_at: number;
  /** In this order. `fresh`, `lend`: nothing may be deleted yet. */
  readonly step: "fresh" | "lend" | "bytes" | "rows" | null;
  /** Progress of the step. */
  readonly queue: number;
  readonly seq: number;
  /** Objects up to this name are counted. */
  readonly counted_to: string;
  readonly items: number;
  readonly captures: number;
  readonly bytes: number;
}

/** Maximum number of rows in one transaction: none holds a lock for long. */
export const BATCH = 250;

export function* removalRow(id: string): Steps<RemovalRow | undefined> {
  return (yield* all<RemovalRow>("SELECT * FROM removals WHERE id = ?", id))[0];
}

export function* removalViews(rows: readonly RemovalRow[]): Steps<Removal[]> {
  const kept = yield* all<Removal["kept"] & { readonly owner: string }>(
    `SELECT owner, count(*) AS objects, CAST(coalesce(sum(size), 0) AS BIGINT) AS bytes FROM kept_objects
     WHERE owner IN (SELECT value FROM @list(? text) l) GROUP BY owner`,
    JSON.stringify(rows.map(({ id }) => id)),
  );
  return rows.map((row) =>
    viewOf(row, kept.find(({ owner }) => owner === row.id) ?? { objects: 0, bytes: 0 }),
  );
}

const viewOf = (row: RemovalRow, { objects, bytes }: Removal["kept"]): Removal => ({
  job: row.id,
  client: row.client,
  scraper: row.scraper,
  what: row.what,
  createdAt: row.created_at,
  endedAt: row.ended_at,
  removedAt: row.marked_at,
  isComplete: row.step === null,
  removed: { items: row.items, captures: row.captures, bytes: row.bytes },
  kept: { objects, bytes },
});

/** Runs inside the transaction of the counted changes. */
export const addWorkSum = (name: string, value: number): Steps<number> =>
  run(
    `INSERT INTO work_sums (name, value) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET value = work_sums.value + excluded.value`,
    name,
    value,
  );
