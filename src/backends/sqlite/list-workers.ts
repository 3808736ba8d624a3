import type { WorkerCard, WorkerView } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";

interface Row {
  readonly name: string;
  readonly alone: number;
  readonly until: number;
  readonly card: string | null;
}

/** Those that claim, and those that have only said that they will. */
export const listWorkers = (db: Database): WorkerView[] =>
  db
    .all<Row>(
      `SELECT w.name, w.alone, w.until, c.card FROM workers w LEFT JOIN worker_cards c ON c.name = w.name
       UNION ALL SELECT name, 0, 0, card FROM worker_cards WHERE name NOT IN (SELECT name FROM workers)
       ORDER BY name`,
    )
    .map(({ name, alone, until, card }) => {
      const holds = holdsOf(db, name);
      return {
        ...(card === null ? {} : (JSON.parse(card) as WorkerCard)),
        name,
        isAlone: alone === 1,
        items: holds.reduce((sum, { items }) => sum + items, 0),
        holds,
        leaseMs: Math.max(0, until - db.now()),
      };
    });

const holdsOf = (db: Database, worker: string): WorkerView["holds"] =>
  db
    .all<WorkerView["holds"][number]>(
      `SELECT j.id AS job, n.name AS lane, sum(l.open) AS items
       FROM leases l JOIN queues q ON q.id = l.queue JOIN jobs j ON j.number = q.job JOIN lanes n ON n.id = q.lane
       WHERE l.worker = ? GROUP BY q.id ORDER BY q.id`,
      worker,
    )
    .map((held) => ({ ...held }));
