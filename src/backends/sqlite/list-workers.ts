import type { WorkerView } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";

export const listWorkers = (db: Database): WorkerView[] =>
  db
    .all<{ name: string; alone: number; until: number; items: number }>(
      `SELECT w.name, w.alone, w.until, coalesce(sum(l.open), 0) AS items
       FROM workers w LEFT JOIN leases l ON l.worker = w.name GROUP BY w.name ORDER BY w.name`,
    )
    .map(({ name, alone, until, items }) => ({
      name,
      isAlone: alone === 1,
      items,
      leaseMs: Math.max(0, until - db.now()),
    }));
