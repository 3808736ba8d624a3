import type { PostgresServer } from "./postgres.ts";

/** What the writes have left behind in the tables of a ledger, after its connections have ended. */
export interface RowFigures {
  /** Rows that were replaced, deleted or rolled back, vacuumed or not, for each one that lives: the larger share of items and results. */
  readonly deadShare: number;
  /** Updates that stayed on their page, of all: the smallest share of the tables that every claim, settle or pulse changes. */
  readonly hotShare: number;
  readonly tables: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const GROWING = ["items", "results"];
const HOT = ["lanes", "queues", "jobs", "workers"];

export const rowFigures = async (server: PostgresServer, database: string): Promise<RowFigures> => {
  const rows = await server.query<Readonly<Record<string, string>>>(
    `SELECT relname, n_live_tup AS live, greatest(n_dead_tup, n_tup_upd + n_tup_del) AS dead, n_tup_upd AS updates, n_tup_hot_upd AS hot
      FROM pg_stat_user_tables WHERE relname = ANY ('{${[...GROWING, ...HOT].join()}}')`,
    database,
  );
  const tables = Object.fromEntries(
    rows.map(({ relname, ...counts }) => [
      relname!,
      Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)])),
    ]),
  );
  return {
    deadShare: Math.max(...GROWING.map((name) => tables[name]!["dead"]! / tables[name]!["live"]!)),
    hotShare: Math.min(...HOT.map((name) => tables[name]!["hot"]! / tables[name]!["updates"]!)),
    tables,
  };
};
