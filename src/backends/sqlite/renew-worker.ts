import type { ItemRef } from "../../model/item.ts";
import type { ClaimRequest } from "../../ports/ledger.ts";
import { setClientHands } from "./client-shares.ts";
import type { Database } from "./database.ts";
import { laneId } from "./lane-row.ts";

/** False when the worker was given up in the meantime: it must not go on as if nothing had happened. */
export const renewWorker = (db: Database, worker: string): boolean =>
  db.run("UPDATE workers SET until = ? WHERE name = ?", db.now() + db.leaseMs, worker) === 1;

/** False when it was given up and still has items in its hands: it must hear that from its pulse before it takes more. */
export const knowWorker = (db: Database, { worker, alone, inHand, jobs }: ClaimRequest): boolean => {
  if (renewWorker(db, worker)) return true;
  if (inHand.values().some((count) => count > 0)) return false;
  db.run(
    "INSERT INTO workers (name, until, alone, jobs) VALUES (?, ?, ?, ?)",
    worker,
    db.now() + db.leaseMs,
    alone ? 1 : 0,
    jobs ? JSON.stringify(jobs) : null,
  );
  return true;
};

/** Items in hand count against a lane's concurrency until the worker says that they no longer are. */
export const setHands = (db: Database, worker: string, inHand: ReadonlyMap<string, number>): void => {
  const known = db.all<{ lane: number; name: string; count: number }>(
    "SELECT h.lane, l.name, h.count FROM hands h JOIN lanes l ON l.id = h.lane WHERE h.worker = ?",
    worker,
  );
  for (const { lane, name } of known)
    if (!inHand.get(name)) db.run("DELETE FROM hands WHERE lane = ? AND worker = ?", lane, worker);
  const counts = new Map(known.map((row) => [row.name, row.count]));
  for (const [name, count] of inHand)
    if (count > 0 && counts.get(name) !== count)
      addToHand(db, laneId(db, name), worker, count - (counts.get(name) ?? 0));
};

export const addToHand = (db: Database, lane: number, worker: string, count: number): void => {
  db.run(
    `INSERT INTO hands (lane, worker, count) VALUES (?, ?, ?)
     ON CONFLICT (lane, worker) DO UPDATE SET count = count + excluded.count`,
    lane,
    worker,
    count,
  );
};

export const handsIn = (
  db: Database,
  lane: number,
  worker: string,
): { readonly total: number; readonly own: number } =>
  db.get<{ total: number; own: number }>(
    `SELECT coalesce(sum(count), 0) AS total, coalesce(sum(count) FILTER (WHERE worker = ?), 0) AS own FROM hands WHERE lane = ?`,
    worker,
    lane,
  )!;

/** Should the worker die, these are the suspects, and what it has claimed since. */
export const nameRunning = (db: Database, worker: string, running: readonly ItemRef[]): void => {
  db.run(
    "UPDATE workers SET running = ?, pulse_lease = (SELECT coalesce(max(id), 0) FROM leases) WHERE name = ?",
    JSON.stringify(running.map(({ queue, seq }) => [queue, seq])),
    worker,
  );
  setClientHands(db, worker, running);
};
