import type { Row } from "../../ports/ledger-tables.ts";

/** Columns that describe the clock of a machine: they are not copied, and count as these values. */
const CLOCK: Readonly<Record<string, string>> = { latest_at: "0", boot: "''", ahead_ms: "0" };

export const quoted = (name: string): string => `"${name}"`;

export const quotedList = (names: readonly string[]): string => names.map(quoted).join(", ");

/** Columns as they are read. */
export const readColumns = (names: readonly string[]): string =>
  names.map((name) => CLOCK[name] ?? quoted(name)).join(", ");

/** Rows that every new ledger has do not count. */
export const hasRows = (table: string): string => {
  const own: Readonly<Record<string, string>> = {
    service: "last_queue + last_lane + last_job > 0",
    lanes: "id <> 0",
    duties: "1 = 0",
  };
  return `SELECT count(*) FROM (SELECT 1 FROM ${quoted(table)} WHERE ${own[table] ?? "1 = 1"} LIMIT 1) found`;
};

/** Who is using a ledger. */
export const WORKERS = "SELECT 'worker ' || name, until FROM workers WHERE until > ?1";
/** A running controller holds all of its tasks; after it is killed, the rarest tasks stay held for a long time. */
export const CONTROLLERS =
  "SELECT 'controller ' || holder, min(held_until) FROM duties GROUP BY holder HAVING min(held_until) > ?1";

const MOST_ROWS = 5_000;
const MOST_CHARS = 2_000_000;

/** Collects rows until a batch is large enough, in rows or in text. */
export class RowBatch {
  #rows: Row[] = [];
  #chars = 0;

  /** Whether the batch is full. */
  add(row: Row): boolean {
    this.#rows.push(row);
    for (const cell of row) if (typeof cell === "string") this.#chars += cell.length;
    return this.#rows.length >= MOST_ROWS || this.#chars >= MOST_CHARS;
  }

  get size(): number {
    return this.#rows.length;
  }

  take(): Row[] {
    const rows = this.#rows;
    this.#rows = [];
    this.#chars = 0;
    return rows;
  }
}
