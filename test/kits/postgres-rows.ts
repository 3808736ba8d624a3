import { setTimeout as delay } from "node:timers/promises";
import type { PostgresServer } from "./postgres.ts";

/** What the writes of a ledger have left behind in its tables. */
export interface RowFigures {
  /** Rows that were replaced, deleted or rolled back, vacuumed or not, for each one that lives: the larger share of items and results. */
  readonly deadShare: number;
  /** Updates that stayed on their page, of all: the smallest share of the tables that claims, settles and pulses change. */
  readonly hotShare: number;
  readonly tables: Readonly<Record<string, TableCounts>>;
}

interface TableCounts {
  readonly live: number;
  readonly dead: number;
  readonly updates: number;
  readonly hot: number;
}

const GROWING = ["items", "results"];
const HOT = ["lanes", "queues", "jobs", "workers"];

/** Of a database whose ledgers are closed: a connection's counts are in when it has gone. */
export const rowFigures = async (server: PostgresServer, database: string): Promise<RowFigures> => {
  const others = `SELECT pid FROM pg_stat_activity WHERE datname = '${database}' AND backend_type = 'client backend'`;
  while ((await server.query(others)).length > 0) await delay(10);
  const rows = await server.query<Readonly<Record<string, string>>>(
    `SELECT relname, n_live_tup AS live, greatest(n_dead_tup, n_tup_upd + n_tup_del) AS dead, n_tup_upd AS updates, n_tup_hot_upd AS hot
      FROM pg_stat_user_tables WHERE relname = ANY ('{${[...GROWING, ...HOT].join()}}')`,
    database,
  );
  const tables = Object.fromEntries(
    rows.map(({ relname, live, dead, updates, hot }) => [
      relname!,
      { live: Number(live), dead: Number(dead), updates: Number(updates), hot: Number(hot) },
    ]),
  );
  return {
    deadShare: Math.max(...GROWING.map((name) => tables[name]!.dead / tables[name]!.live)),
    hotShare: Math.min(...HOT.map((name) => tables[name]!.hot / tables[name]!.updates)),
    tables,
  };
};
