import type { Removal, RemovalScope } from "../../../model/removal.ts";
import type { Database } from "../database.ts";

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

/** A worker that was stopped may still store what it had in hand: a removed job's folder is looked at again so long after the mark. */
export const LATE_MS = 3_600_000;

export const removalRow = (db: Database, id: string): RemovalRow | undefined =>
  db.get<RemovalRow>("SELECT * FROM removals WHERE id = ?", id);

/** Whether the job's pages are being removed right now: nothing may be read of them, and nothing added. */
export const isLosingPages = (db: Database, number: number): boolean =>
  db.get("SELECT 1 FROM removals WHERE number = ? AND step IS NOT NULL", number) !== undefined;

export const removalView = (db: Database, row: RemovalRow): Removal => ({
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
    ...db.get<Removal["kept"]>(
      "SELECT count(*) AS objects, coalesce(sum(size), 0) AS bytes FROM kept_objects WHERE owner = ?",
      row.id,
    )!,
  },
});
