import type { Delivery, DeliveryEnd, DeliveryQuery, NewDelivery } from "../../../ports/registry.ts";
import { all, run, type StepEngine, type Steps } from "../steps.ts";

interface DeliveryRow {
  readonly seq: number;
  readonly id: string;
  readonly event: number;
  readonly client: string;
  readonly job: string | null;
  readonly endpoint: string;
  readonly url: string;
  readonly type: string;
  readonly body: string;
  readonly state: Delivery["state"];
  readonly attempts: number;
  readonly created_at: number;
  readonly due_at: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
}

const readDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  event: row.event,
  client: row.client,
  ...(row.job === null ? {} : { job: row.job }),
  endpoint: row.endpoint,
  url: row.url,
  type: row.type,
  body: row.body,
  state: row.state,
  attempts: row.attempts,
  createdAt: row.created_at,
  dueAt: row.due_at,
  ...(row.last_status === null ? {} : { lastStatus: row.last_status }),
  ...(row.last_error === null ? {} : { lastError: row.last_error }),
});

/** Writing this many rows holds the lock for a few ms. */
const BATCH = 200;
const KEEP_ENDED_MS = 30 * 24 * 60 * 60 * 1000;

/** Number of rows in one statement: few texts, and few round trips. */
const ROWS = 25;
const COLUMNS = "id, event, client, job, endpoint, line, url, type, body, created_at, due_at";
const ROW = `(${COLUMNS.replace(/\w+/g, "?")})`;

export const addDeliveries = async (db: StepEngine, deliveries: readonly NewDelivery[]): Promise<void> => {
  for (let at = 0; at < deliveries.length; at += BATCH)
    await db.write("registry", function* (now) {
      const batch = deliveries.slice(at, at + BATCH);
      for (let from = 0; from < batch.length; from += ROWS)
        yield* insert(now, batch.slice(from, from + ROWS));
      yield* forget(now);
    });
};

const insert = (now: number, deliveries: readonly NewDelivery[]): Steps<number> =>
  run(
    `INSERT INTO deliveries (${COLUMNS}) VALUES ${deliveries.map(() => ROW).join(", ")} ON CONFLICT DO NOTHING`,
    ...deliveries.flatMap(({ id, event, client, job = null, endpoint, url, type, body }) => {
      const line = `${client}\n${url}`;
      return [id, event, client, job, endpoint, line, url, type, body, now, now];
    }),
  );

const forget = (now: number): Steps<number> =>
  run(
    `DELETE FROM deliveries WHERE seq IN
       (SELECT seq FROM deliveries WHERE ended_at IS NOT NULL AND ended_at <= ? ORDER BY ended_at LIMIT ${BATCH})`,
    now - KEEP_ENDED_MS,
  );

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
    SELECT min(line) FROM deliveries @index(deliveries_due) WHERE state = 'due'
    UNION ALL
    SELECT (SELECT min(line) FROM deliveries @index(deliveries_due) WHERE state = 'due' AND line > lines.line) FROM lines
    WHERE lines.line IS NOT NULL
  ), heads (seq) AS (
    SELECT (
      SELECT seq FROM deliveries @index(deliveries_due) WHERE state = 'due' AND line = lines.line AND due_at <= ?1
      ORDER BY due_at, seq LIMIT 1
    ) FROM lines
    WHERE line IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM deliveries @index(deliveries_taken) WHERE line = lines.line AND taken_until > ?1)
  )
  SELECT deliveries.seq, client, url FROM heads JOIN deliveries ON deliveries.seq = heads.seq
  ORDER BY due_at, deliveries.seq`;

export const takeDeliveries = async (db: StepEngine, limit: number, forMs: number): Promise<Delivery[]> => {
  const candidates = (now: number) => all<Candidate>(CANDIDATES, now);
  // Nearly always there is nothing: that is seen without the write lock.
  if (limit <= 0 || (await db.read(candidates)).length === 0) return [];
  return await db.write(
    "registry",
    function* (now) {
      const chosen = yield* inTurn(now, yield* candidates(now), limit);
      const rows = yield* all<DeliveryRow>(
        "UPDATE deliveries SET taken_until = ? WHERE seq IN (SELECT value FROM @list(? bigint) l) RETURNING *",
        now + forMs,
        JSON.stringify(chosen.map(({ seq }) => seq)),
      );
      const taken = new Map(rows.map((row) => [row.seq, readDelivery(row)]));
      return chosen.flatMap(({ seq }) => taken.get(seq) ?? []);
    },
    false,
  );
};

/**
 * The client with the fewest deliveries in flight comes first. A client, or a receiver, with n deliveries in flight gets another only while more than n places are
 * free: however many of them hang, a client without deliveries still gets a place.
 */
function* inTurn(now: number, candidates: readonly Candidate[], places: number): Steps<Candidate[]> {
  // Uses the index of the few that are in flight: with that of the clients, all deliveries that ever existed would be read.
  const taken = yield* all<Candidate>(
    "SELECT seq, client, url FROM deliveries @index(deliveries_taken) WHERE taken_until > ?",
    now,
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
}

const clientOf = ({ client }: Candidate): string => `client ${client}`;

const holders = (delivery: Candidate): readonly string[] => [
  clientOf(delivery),
  `receiver ${URL.canParse(delivery.url) ? new URL(delivery.url).host : delivery.url}`,
];

export const endDelivery = async (db: StepEngine, id: string, end: DeliveryEnd): Promise<void> => {
  await db.write("registry", (now) =>
    run(
      `UPDATE deliveries SET state = ?1, attempts = attempts + 1, due_at = ?2, taken_until = NULL, ended_at = ?3,
         last_status = ?4, last_error = ?5
       WHERE id = ?6 AND (state = 'due' OR (state = 'parked' AND CAST(?1 AS TEXT) = 'delivered'))`,
      end.state,
      end.state === "due" ? now + end.delayMs : now,
      end.state === "due" ? null : now,
      end.status ?? null,
      end.state === "delivered" ? null : end.error,
      id,
    ),
  );
};

export const replayDelivery = async (db: StepEngine, id: string): Promise<boolean> => {
  const text =
    "UPDATE deliveries SET state = 'due', due_at = ?, taken_until = NULL, ended_at = NULL WHERE id = ? AND state <> 'due'";
  return (await db.write("registry", (now) => run(text, now, id))) > 0;
};

/** One text for each set of filters, so that each finds its index. */
export const listDeliveries = async (db: StepEngine, query: DeliveryQuery): Promise<Delivery[]> => {
  const filters: string[] = [];
  const values: (string | number)[] = [];
  const where = (filter: string, ...filtered: readonly string[]): void => {
    filters.push(filter);
    values.push(...filtered);
  };
  if (query.id !== undefined) where("id = ?", query.id);
  if (query.client !== undefined) where("client = ?", query.client);
  if (query.job !== undefined) where("job = ?", query.job);
  if (query.states) where(`state IN (${query.states.map(() => "?").join(", ")})`, ...query.states);
  if (query.after !== undefined) where("seq < (SELECT seq FROM deliveries WHERE id = ?)", query.after);
  const condition = filters.length === 0 ? "" : `WHERE ${filters.join(" AND ")}`;
  const text = `SELECT * FROM deliveries ${condition} ORDER BY seq DESC LIMIT ?`;
  return (await db.read(() => all<DeliveryRow>(text, ...values, query.limit))).map(readDelivery);
};
