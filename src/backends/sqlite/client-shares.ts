import type { ItemRef } from "../../model/item.ts";
import type { ClaimRequest } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { chargeTurn, hindmost, levelTurns, type Turn } from "./fair-turns.ts";

/** A client with ready lanes, in its share of what the workers do. */
export interface ClientShare extends Turn {
  readonly client: string;
  /** Items that it may yet be given; Infinity without a limit. */
  room: number;
  /** Of the worker's places, how many more it may take: some are left for clients that come later. */
  places: number;
  /** Of the worker's room, what it may have before the others come. */
  quota: number;
  /** Items given in this claim. */
  given: number;
}

interface ShareRow {
  readonly client: string;
  readonly weight: number;
  readonly had: number | null;
  readonly max_running: number | null;
}

/** By steps through the index from one client to the next: as many as there are clients with work, however many lanes they have. */
const WITH_WORK = `WITH RECURSIVE ready (client) AS (
  SELECT min(client) FROM turns WHERE ready_at IS NOT NULL
  UNION ALL SELECT (SELECT min(t.client) FROM turns t WHERE t.ready_at IS NOT NULL AND t.client > ready.client) FROM ready
  WHERE ready.client IS NOT NULL)`;

export const readShares = (db: Database, request: Pick<ClaimRequest, "room" | "running">): ClientShare[] => {
  const rows = db.all<ShareRow>(
    `${WITH_WORK} SELECT r.client, c.weight, c.had, c.max_running FROM ready r JOIN clients c ON c.name = r.client`,
  );
  const { turn } = db.get<{ turn: number }>("SELECT turn FROM service WHERE id = 1")!;
  const taken = placesTaken(db, request.running);
  return levelTurns(rows, turn).map(({ client, weight, had, max_running }) => ({
    client,
    weight,
    had,
    given: 0,
    quota: 0,
    places: taken ? placesLeft(request.room, taken.get(client) ?? 0) : Infinity,
    room: max_running === null ? Infinity : max_running - inHandOf(db, client),
  }));
};

/** A client has at most so many places for each one that is free. */
const MOST_TO_ONE = 4;

/**
 * Items may last long, as those whose sites do not answer: however many a client has, a part of the worker is free for whoever comes. A worker of
 * fewer than five places has none to spare.
 */
const placesLeft = (free: number, own: number): number =>
  Math.max(0, Math.ceil((MOST_TO_ONE * free - own) / (MOST_TO_ONE + 1)));

/** By client; undefined where there is only one, which nobody waits for. */
const placesTaken = (
  db: Database,
  running: readonly ItemRef[] | undefined,
): ReadonlyMap<string, number> | undefined => {
  if (!running || db.get<{ n: number }>("SELECT count(*) AS n FROM clients")!.n < 2) return undefined;
  const taken = new Map<string, number>();
  for (const [queue, items] of Map.groupBy(running, (item) => item.queue)) {
    const client = db.get<{ client: string }>("SELECT client FROM queues WHERE id = ?", queue)?.client;
    if (client !== undefined) taken.set(client, (taken.get(client) ?? 0) + items.length);
  }
  return taken;
};

export const saveShares = (db: Database, worker: string, shares: readonly ClientShare[]): void => {
  const served = shares.filter(({ given }) => given > 0);
  if (served.length === 0) return;
  for (const { client, had, given, room } of served) {
    db.run("UPDATE clients SET had = ? WHERE name = ?", had, client);
    if (room !== Infinity) addToClientHand(db, client, worker, given);
  }
  db.run("UPDATE service SET turn = ? WHERE id = 1", hindmost(shares));
};

/** Items that were given back before they began: they count when they are claimed again. */
export const refundItems = (db: Database, client: string, count: number): void => {
  const row = db.get<{ had: number | null; weight: number; turn: number }>(
    "SELECT c.had, c.weight, s.turn FROM clients c JOIN service s ON s.id = 1 WHERE c.name = ?",
    client,
  )!;
  const { had, floor } = chargeTurn({ had: row.had ?? 0, weight: row.weight }, row.turn, -count);
  db.run("UPDATE clients SET had = ? WHERE name = ?", had, client);
  if (floor !== row.turn) db.run("UPDATE service SET turn = ? WHERE id = 1", floor);
};

/** Items that a client may yet be given; Infinity without a limit. */
export const clientRoom = (db: Database, client: string): number => {
  const row = db.get<{ max_running: number | null }>(
    "SELECT max_running FROM clients WHERE name = ?",
    client,
  );
  return row?.max_running == null ? Infinity : row.max_running - inHandOf(db, client);
};

const inHandOf = (db: Database, client: string): number =>
  db.get<{ n: number }>("SELECT coalesce(sum(count), 0) AS n FROM client_hands WHERE client = ?", client)!.n;

export const addToClientHand = (db: Database, client: string, worker: string, count: number): void => {
  db.run(
    `INSERT INTO client_hands (client, worker, count) VALUES (?, ?, ?)
     ON CONFLICT (client, worker) DO UPDATE SET count = count + excluded.count`,
    client,
    worker,
    count,
  );
};

/** Only clients with a limit are counted; a worker's own word replaces what was known of it. */
export const setClientHands = (db: Database, worker: string, running: readonly ItemRef[]): void => {
  db.run("DELETE FROM client_hands WHERE worker = ?", worker);
  if (!db.get("SELECT 1 FROM clients WHERE max_running IS NOT NULL LIMIT 1")) return;
  for (const [queue, items] of Map.groupBy(running, (item) => item.queue)) {
    const client = db.get<{ client: string }>(
      "SELECT q.client FROM queues q JOIN clients c ON c.name = q.client WHERE q.id = ? AND c.max_running IS NOT NULL",
      queue,
    )?.client;
    if (client !== undefined) addToClientHand(db, client, worker, items.length);
  }
};
