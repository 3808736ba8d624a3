import type { Delivery } from "../../../ports/registry.ts";
import type { Database } from "../database.ts";
import { type DeliveryRow, readDelivery } from "./delivery-row.ts";

interface Candidate {
  readonly seq: number;
  readonly client: string;
  readonly url: string;
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
  SELECT deliveries.seq, client, url FROM heads JOIN deliveries ON deliveries.seq = heads.seq
  ORDER BY due_at, deliveries.seq`;

export const takeDeliveries = async (db: Database, limit: number, forMs: number): Promise<Delivery[]> => {
  const candidates = (): Candidate[] => db.all<Candidate>(CANDIDATES, db.now());
  // Nearly always there is nothing: that is seen without the write lock.
  if (limit <= 0 || (await db.read(candidates)).length === 0) return [];
  return await db.write(() => {
    const until = db.now() + forMs;
    return inTurn(db, candidates(), limit).map(({ seq }) => {
      db.run("UPDATE deliveries SET taken_until = ? WHERE seq = ?", until, seq);
      return readDelivery(db.get<DeliveryRow>("SELECT * FROM deliveries WHERE seq = ?", seq)!);
    });
  }, false);
};

/**
 * The client with the least in hand comes first. A client, or a receiver, that has some in hand takes another only while more places than that are
 * free: however many of them hang, a place is left for one who has none.
 */
const inTurn = (db: Database, candidates: readonly Candidate[], places: number): Candidate[] => {
  // By the index of the few that are taken: by that of the clients, all that ever were would be looked at.
  const taken = db.all<Candidate>(
    "SELECT seq, client, url FROM deliveries INDEXED BY deliveries_taken WHERE taken_until > ?",
    db.now(),
  );
  const inFlight = new Map<string, number>();
  const count = (who: string): number => inFlight.get(who) ?? 0;
  const add = (delivery: Candidate): void => {
    for (const who of holders(delivery)) inFlight.set(who, count(who) + 1);
  };
  for (const delivery of taken) add(delivery);
  const chosen: Candidate[] = [];
  let left = [...candidates];
  while (left.length > 0 && chosen.length < places) {
    const free = places - chosen.length;
    left = left.filter((delivery) => holders(delivery).every((who) => count(who) < free));
    if (left.length === 0) break;
    const next = left.reduce((a, b) => (count(clientOf(b)) < count(clientOf(a)) ? b : a));
    chosen.push(next);
    add(next);
    left.splice(left.indexOf(next), 1);
  }
  return chosen;
};

const clientOf = ({ client }: Candidate): string => `client ${client}`;

const holders = (delivery: Candidate): readonly string[] => [
  clientOf(delivery),
  `receiver ${URL.canParse(delivery.url) ? new URL(delivery.url).host : delivery.url}`,
];
