import type { Removal, RemovalScope } from "../../../domain/removal.ts";
import type { WorkSums } from "../../../domain/work-sums.ts";
import type { Connection, Rows } from "../rows.ts";
import { ADD_SUMS } from "../statements.ts";

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
  /** How far the step has come. */
  readonly queue: number;
  readonly seq: number;
  /** Objects up to this name are counted. */
  readonly counted_to: string;
  readonly items: number;
  readonly captures: number;
  readonly bytes: number;
}

/** Rows in one transaction: none holds a lock for long. */
export const BATCH = 250;

export const removalRow = (rows: Rows, id: string): RemovalRow | undefined =>
  rows.all<RemovalRow>("SELECT * FROM removals WHERE id = ?", id)[0];

export const removalView = (rows: Rows, row: RemovalRow): Removal => ({
  job: row.id,
  client: row.client,
  scraper: row.scraper,
  what: row.what,
  createdAt: row.created_at,
  endedAt: row.ended_at,
  removedAt: row.marked_at,
  isComplete: row.step === null,
  removed: { items: row.items, captures: row.captures, bytes: row.bytes },
  kept: {
    ...rows.all<Removal["kept"]>(
      "SELECT count(*) AS objects, coalesce(sum(size), 0) AS bytes FROM kept_objects WHERE owner = ?",
      row.id,
    )[0]!,
  },
});

/** Inside the transaction of what is counted. */
export const addWorkSums = (db: Connection, sums: WorkSums): void => {
  db.run(ADD_SUMS, JSON.stringify(Object.entries(sums)));
};
