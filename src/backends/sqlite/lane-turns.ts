import type { ClaimTally } from "./claim-items.ts";
import type { ClientShare } from "./client-shares.ts";
import type { Database } from "./database.ts";
import { chargeTurn, levelTurns, type Turn } from "./fair-turns.ts";
import type { LaneRow } from "./lane-row.ts";
import type { QueueRow } from "./queue-row.ts";

export interface Backlog extends QueueRow {
  /** Items taken in this claim. */
  given: number;
}

/** A client with work in a lane. */
export interface LaneTurn extends Turn {
  readonly client: string;
  readonly share: ClientShare;
  /** Those that may still give something. */
  readonly queues: Backlog[];
  /** All that were looked at. */
  readonly served: readonly Backlog[];
  readonly firstQueue: number;
  given: number;
}

/** Of one client in one lane; the others come when these have had their turn. */
const MOST_QUEUES = 16;

const FOR_JOBS = "AND job IN (SELECT value FROM json_each(@jobs))";
const OF_KINDS = "AND (kinds & ~@kinds) = 0";

export const readTurns = (db: Database, { jobs, kinds, shares }: ClaimTally, lane: LaneRow): LaneTurn[] => {
  const now = db.now();
  const rows = db.all<{ client: string; had: number | null; weight: number }>(
    `SELECT t.client, t.had, c.weight FROM turns t JOIN clients c ON c.name = t.client
     WHERE t.lane = ? AND t.ready_at IS NOT NULL AND t.ready_at <= ?`,
    lane.id,
    now,
  );
  // Not by when they became ready: what counts is whose turn it is.
  const select = `SELECT * FROM queues WHERE lane = @lane AND client = @client AND claimable = 1 AND ready_at IS NOT NULL
    AND ready_at <= @now AND own_next <= @now ${jobs ? FOR_JOBS : ""} ${kinds === undefined ? "" : OF_KINDS} ORDER BY priority DESC, served_at LIMIT ${MOST_QUEUES}`;
  return levelTurns(rows, lane.turn).flatMap(({ client, had, weight }) => {
    const share = shares.get(client);
    const asked = {
      ...(jobs && { "@jobs": JSON.stringify(jobs) }),
      ...(kinds !== undefined && { "@kinds": kinds }),
    };
    const values = { "@lane": lane.id, "@client": client, "@now": now, ...asked };
    const queues = (db.sql(select).all(values) as unknown as QueueRow[]).map((row) => ({ ...row, given: 0 }));
    if (!share || queues.length === 0) return [];
    const firstQueue = Math.min(...queues.map(({ id }) => id));
    return { client, had, weight, share, queues: [...queues], served: queues, firstQueue, given: 0 };
  });
};

/** Of a lane's slots, what a client has beside the first ones of the items that it claims; below 0 for what it did not use. */
export const chargeLane = (db: Database, lane: number, client: string, count: number): void => {
  const row = db.get<{ had: number | null; weight: number; turn: number }>(
    `SELECT t.had, c.weight, l.turn FROM turns t JOIN clients c ON c.name = t.client JOIN lanes l ON l.id = t.lane
     WHERE t.lane = ? AND t.client = ?`,
    lane,
    client,
  );
  if (!row) return;
  const { had, floor } = chargeTurn({ had: row.had ?? 0, weight: row.weight }, row.turn, count);
  db.run("UPDATE turns SET had = ? WHERE lane = ? AND client = ?", had, lane, client);
  if (floor !== row.turn) db.run("UPDATE lanes SET turn = ? WHERE id = ?", floor, lane);
};

/** The highest priority first; among equals, the one that was served longest ago. `isOnly`: no other is its equal. */
export const nextQueue = ({ queues }: LaneTurn): { readonly queue: Backlog; readonly isOnly: boolean } => {
  const best = Math.max(...queues.map(({ priority }) => priority));
  const equals = queues.filter(({ priority }) => priority === best);
  const queue = equals.reduce((a, b) =>
    (b.given - a.given || b.served_at - a.served_at || b.id - a.id) < 0 ? b : a,
  );
  return { queue, isOnly: equals.length === 1 };
};
