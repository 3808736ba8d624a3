import type { Delivery } from "../../../ports/registry.ts";
import type { Database } from "../database.ts";
import { type DeliveryRow, readDelivery } from "./delivery-row.ts";

interface Candidate {
  readonly seq: number;
  readonly client: string;
}

/**
 * From line to line by the index: the cost goes with the lines that have something, not with the length of their backlogs. The indexes are
 * named, because without statistics SQLite likes others that begin with the state.
 */
const CANDIDATES = `
  WITH RECURSIVE lines (line) AS (
    SELECT min(line) FROM deliveries INDEXED BY deliveries_due WHERE state = 'due'
    UNION ALL
    SELECT (SELECT min(line) FROM deliveries INDEXED BY deliveries_due WHERE state = 'due' AND line > lines.line) FROM lines
    WHERE lines.line IS NOT NULL
  ), heads (seq) AS (
    SELECT (
      SELECT seq FROM deliveries INDEXED BY deliveries_due WHERE state = 'due' AND line = lines.line AND due_at <= ?1
      ORDER BY due_at, seq LIMIT 1
    ) FROM lines
    WHERE line IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM deliveries INDEXED BY deliveries_taken WHERE line = lines.line AND taken_until > ?1)
  )
  SELECT deliveries.seq, client FROM heads JOIN deliveries ON deliveries.seq = heads.seq
  ORDER BY due_at, deliveries.seq`;

export const takeDeliveries = async (db: Database, limit: number, forMs: number): Promise<Delivery[]> => {
  const candidates = (): Candidate[] => db.all<Candidate>(CANDIDATES, db.now());
  // Nearly always there is nothing: that is seen without the write lock.
  if (limit <= 0 || (await db.read(candidates)).length === 0) return [];
  return await db.write(() => {
    const until = db.now() + forMs;
    return inTurn(db, candidates())
      .slice(0, limit)
      .map(({ seq }) => {
        db.run("UPDATE deliveries SET taken_until = ? WHERE seq = ?", until, seq);
        return readDelivery(db.get<DeliveryRow>("SELECT * FROM deliveries WHERE seq = ?", seq)!);
      });
  }, false);
};

/** The client with the least in hand comes first: many hanging URLs of one do not take all the places. */
const inTurn = (db: Database, candidates: readonly Candidate[]): Candidate[] => {
  const inHand = new Map<string, number>();
  const count = (client: string): number => {
    const before = inHand.get(client) ?? 0;
    inHand.set(client, before + 1);
    return before;
  };
  // By the index of the few that are taken: by that of the clients, all that ever were would be looked at.
  const taken = db.all<{ client: string }>(
    "SELECT client FROM deliveries INDEXED BY deliveries_taken WHERE taken_until > ?",
    db.now(),
  );
  for (const { client } of taken) count(client);
  const turns = candidates.map((candidate) => ({ candidate, turn: count(candidate.client) }));
  return turns.sort((a, b) => a.turn - b.turn).map(({ candidate }) => candidate);
};
