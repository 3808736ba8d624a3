import { type LoadName, MOST_QUEUES } from "../../ledger/loads.ts";

/**
 * Where each set of records is found: what follows `SELECT columns`. `w` has a row for each argument list, `a(n)` is its n-th argument; `t` is the
 * table of the kind. `CROSS JOIN` keeps SQLite from choosing another order than this one, which follows the indexes.
 */
const a = (n: number): string => `(w.value ->> ${n})`;

/** A limit cannot differ from one argument list to the next: it is the largest that is asked for, and `ORDERED` cuts what is too much. */
const most = (n: number): string => `(SELECT max(m.value ->> ${n}) FROM json_each(@args) m)`;

/** A client's lanes that are ready first, for what is asked. */
const READY = `SELECT s.lane FROM shares s WHERE s.client = ${a(0)} AND s.ready_at IS NOT NULL
  AND (${a(3)} IS NULL OR EXISTS (SELECT 1 FROM json_each(${a(3)}) mine CROSS JOIN queues q ON q.job = mine.value AND q.lane = s.lane
    WHERE q.client = s.client AND q.is_claimable = 1 AND (q.has_fresh = 1 OR q.due_at IS NOT NULL)))
  AND (${a(4)} IS NULL OR s.lane IN (SELECT value FROM json_each(${a(4)})))
  AND (${a(5)} IS NULL OR EXISTS (SELECT 1 FROM queues q WHERE q.lane = s.lane AND q.client = s.client AND q.is_claimable = 1
    AND (q.has_fresh = 1 OR q.due_at IS NOT NULL) AND (q.kinds & ~${a(5)}) = 0))`;
const READY_FIRST = `${READY} ORDER BY s.ready_at, s.lane LIMIT ${most(1)}`;
const READY_NOW = `${READY} AND s.ready_at <= ${a(2)} ORDER BY s.ready_at, s.lane LIMIT ${most(1)}`;

export const LOADS: { readonly [N in LoadName]: string } = {
  service: "w CROSS JOIN service t",
  firstClients: "w CROSS JOIN clients t ON t.name IN (SELECT name FROM clients LIMIT 2)",
  clientOfQueue: `w CROSS JOIN queues q ON q.id = ${a(0)} CROSS JOIN clients t ON t.name = q.client`,
  client: `w CROSS JOIN clients t ON t.name = ${a(0)}`,
  // By steps through the index from one client to the next: as many as there are clients with work, however many lanes they have.
  clientsWithWork: `w CROSS JOIN clients t ON t.name IN (
    WITH RECURSIVE ready (client) AS (
      SELECT min(client) FROM shares WHERE ready_at IS NOT NULL
      UNION ALL SELECT (SELECT min(s.client) FROM shares s WHERE s.ready_at IS NOT NULL AND s.client > ready.client) FROM ready
      WHERE ready.client IS NOT NULL)
    SELECT client FROM ready WHERE client IS NOT NULL)`,
  lane: `w CROSS JOIN lanes t ON t.id = ${a(0)}`,
  laneNamed: `w CROSS JOIN lanes t ON t.name = ${a(0)}`,
  laneOfQueue: `w CROSS JOIN queues q ON q.id = ${a(0)} CROSS JOIN lanes t ON t.id = q.lane`,
  share: `w CROSS JOIN shares t ON t.lane = ${a(0)} AND t.client = ${a(1)}`,
  shareOfQueue: `w CROSS JOIN queues q ON q.id = ${a(0)} CROSS JOIN shares t ON t.lane = q.lane AND t.client = q.client`,
  clientShareOfQueue: `w CROSS JOIN queues q ON q.id = ${a(0)} CROSS JOIN shares t ON t.lane = 0 AND t.client = q.client`,
  shareIn: `w CROSS JOIN lanes l ON l.name = ${a(0)} CROSS JOIN shares t ON t.lane = l.id AND t.client = ${a(1)}`,
  sharesIn: `w CROSS JOIN lanes l ON l.name = ${a(0)} CROSS JOIN shares t ON t.lane = l.id`,
  sharesOf: `w CROSS JOIN shares t ON t.lane = ${a(0)}`,

  readyShares: `w CROSS JOIN shares t ON t.client = ${a(0)} AND t.lane IN (${READY_FIRST})`,
  readyLanes: `w CROSS JOIN lanes t ON t.id IN (${READY_NOW})`,
  readyNeighbours: `w CROSS JOIN shares t ON t.lane IN (${READY_NOW}) AND t.ready_at <= ${a(2)}`,
  // Those that were asked for and can give something now come first. One more than are used, to tell whether these are all.
  readyQueues: `w CROSS JOIN shares n ON n.lane IN (${READY_NOW}) AND n.ready_at <= ${a(2)} CROSS JOIN queues t ON t.id IN (
    SELECT q.id FROM queues q WHERE q.lane = n.lane AND q.client = n.client AND q.is_claimable = 1 AND (q.has_fresh = 1 OR q.due_at IS NOT NULL)
    ORDER BY (${a(3)} IS NULL OR q.job IN (SELECT value FROM json_each(${a(3)}))) AND (${a(5)} IS NULL OR (q.kinds & ~${a(5)}) = 0) DESC,
      (q.has_fresh = 1 OR q.due_at <= ${a(2)}) AND q.own_next_at <= ${a(2)} DESC, q.priority DESC, q.served_at LIMIT ${MOST_QUEUES + 1})`,

  queue: `w CROSS JOIN queues t ON t.id = ${a(0)}`,
  queueIn: `w CROSS JOIN lanes l ON l.name = ${a(1)} CROSS JOIN queues t ON t.job = ${a(0)} AND t.lane = l.id`,
  queuesInLane: `w CROSS JOIN lanes l ON l.name = ${a(0)} CROSS JOIN queues t ON t.lane = l.id AND t.open > 0`,
  queuesOf: `w CROSS JOIN queues t ON t.job = ${a(0)}`,
  troubledQueues: `w CROSS JOIN queues t ON t.job = ${a(0)} AND (t.held IS NOT NULL OR t.is_doubtful = 1)`,
  openQueuesIn: `w CROSS JOIN queues t ON t.lane = ${a(0)} AND t.is_claimable = 1 AND (t.has_fresh = 1 OR t.due_at IS NOT NULL)`,
  dueProbes: `w CROSS JOIN queues t ON t.probe_at <= ${a(0)} AND t.is_probing = 0
    CROSS JOIN jobs j ON j.number = t.job AND j.state IN ('loading', 'running')`,
  nextProbe: `w CROSS JOIN queues t ON t.id = (SELECT q.id FROM queues q CROSS JOIN jobs j ON j.number = q.job
    WHERE q.probe_at IS NOT NULL AND q.is_probing = 0 AND j.state IN ('loading', 'running')
      AND (${a(0)} IS NULL OR q.job IN (SELECT value FROM json_each(${a(0)}))) ORDER BY q.probe_at LIMIT 1)`,

  job: `w CROSS JOIN jobs t ON t.number = ${a(0)}`,
  jobNamed: `w CROSS JOIN jobs t ON t.id = ${a(0)}`,
  jobOfQueue: `w CROSS JOIN queues q ON q.id = ${a(0)} CROSS JOIN jobs t ON t.number = q.job`,
  overdueJob: `w CROSS JOIN jobs t ON t.number = (SELECT number FROM jobs WHERE deadline_at IS NOT NULL AND ended_at IS NULL
    AND state <> 'cancelled' AND deadline_at <= ${a(0)} ORDER BY deadline_at LIMIT 1)`,

  worker: `w CROSS JOIN workers t ON t.name = ${a(0)}`,
  workers: "w CROSS JOIN workers t",
  silentWorkers: `w CROSS JOIN workers t ON t.until < ${a(0)}`,
  peers: "w CROSS JOIN workers t ON t.until IS NOT NULL",

  item: `w CROSS JOIN items t ON t.queue = ${a(0)} AND t.seq = ${a(1)}`,
  itemsBetween: `w CROSS JOIN items t ON t.queue = ${a(0)} AND t.seq BETWEEN ${a(1)} AND ${a(2)}`,
  freshItems: `w CROSS JOIN items t ON t.queue = ${a(0)} AND t.seq IN (
    SELECT i.seq FROM items i WHERE i.queue = ${a(0)} AND i.seq > ${a(1)} ORDER BY i.seq LIMIT ${most(2)})`,
  retry: `w CROSS JOIN retries t ON t.queue = ${a(0)} AND t.seq = ${a(1)}`,
  dueItems: `w CROSS JOIN retries t ON t.queue = ${a(0)} AND t.seq IN (SELECT r.seq FROM retries r
      WHERE r.queue = ${a(0)} AND r.due_at IS NOT NULL AND r.state <> 'suspect' ORDER BY r.due_at LIMIT ${most(1)})
    CROSS JOIN items i ON i.queue = t.queue AND i.seq = t.seq`,
  suspects: `w CROSS JOIN (SELECT r.queue, q.job, q.lane, q.kinds, count(*) AS count, min(r.due_at) AS due_at
    FROM retries r JOIN queues q ON q.id = r.queue WHERE r.state = 'suspect' AND r.due_at IS NOT NULL AND q.is_claimable = 1
    GROUP BY r.queue + 0) t`,
  dueSuspect: `w CROSS JOIN retries t ON t.queue = ${a(0)} AND t.seq = (SELECT r.seq FROM retries r
      WHERE r.queue = ${a(0)} AND r.state = 'suspect' AND r.due_at IS NOT NULL ORDER BY r.due_at, r.seq LIMIT 1)
    CROSS JOIN items i ON i.queue = t.queue AND i.seq = t.seq`,
  followers: `w CROSS JOIN retries t ON t.leader_queue = ${a(0)} AND t.leader_seq = ${a(1)} AND t.is_free = 0`,
  result: `w CROSS JOIN results t ON t.queue = ${a(0)} AND t.seq = ${a(1)}`,
  // Found by index, so that it costs the same in any queue; for records with missing fields the latest results are looked through.
  examples: `w CROSS JOIN items t ON t.queue = ${a(0)} AND t.seq IN (SELECT seq FROM (
      SELECT * FROM (SELECT e.seq, e.captures IS NULL AS bare FROM results e WHERE e.queue = ${a(0)} AND e.state > 3
        AND e.state = CASE ${a(1)} WHEN 'absent' THEN 4 WHEN 'failures' THEN 5 END ORDER BY e.seq DESC LIMIT 50)
      UNION ALL SELECT * FROM (SELECT e.seq, e.last -> 'captures' IS NULL FROM retries e WHERE e.queue = ${a(0)} AND ${a(1)} = 'failures'
        AND e.due_at IS NOT NULL AND e.state = 'waiting' ORDER BY e.due_at DESC LIMIT 50)
      UNION ALL SELECT * FROM (SELECT seq, captures IS NULL FROM (SELECT * FROM results WHERE queue = ${a(0)} ORDER BY seq DESC LIMIT 500) latest
        WHERE quality = 'partial' AND ${a(1)} NOT IN ('absent', 'failures') LIMIT 50)
      ORDER BY bare, seq DESC LIMIT 3))
    LEFT JOIN results r ON r.queue = t.queue AND r.seq = t.seq LEFT JOIN retries y ON y.queue = t.queue AND y.seq = t.seq`,
  failedAfter: `w CROSS JOIN results t ON (t.queue, t.seq) IN (SELECT r.queue, r.seq FROM queues q CROSS JOIN results r ON r.queue = q.id
    AND r.seq > CASE q.id WHEN ${a(2)} THEN ${a(3)} ELSE 0 END WHERE q.job = ${a(0)} AND q.id >= ${a(2)} AND r.state > 3 AND r.state = 5
      AND (${a(1)} IS NULL OR r.failure ->> 'kind' IN (SELECT value FROM json_each(${a(1)})))
    ORDER BY q.id, r.seq LIMIT ${most(4)})`,
  capped: `w CROSS JOIN capped t ON t.queue = ${a(0)} AND t.seq = ${a(1)}`,
  cappedBetween: `w CROSS JOIN capped t ON t.queue = ${a(0)} AND t.seq BETWEEN ${a(1)} AND ${a(2)}`,
  cappedAfter: `w CROSS JOIN capped t ON (t.queue, t.seq) IN (SELECT c.queue, c.seq FROM queues q CROSS JOIN capped c ON c.queue = q.id
    AND c.seq > CASE q.id WHEN ${a(1)} THEN ${a(2)} ELSE 0 END WHERE q.job = ${a(0)} AND q.id >= ${a(1)} ORDER BY q.id, c.seq LIMIT ${most(3)})`,
  keys: `w CROSS JOIN item_keys t ON t.job = ${a(0)} AND t.hash IN (SELECT value FROM json_each(${a(1)}))`,
  key: `w CROSS JOIN item_keys t ON t.job = ${a(0)} AND t.hash = ${a(1)}`,

  fresh: `w CROSS JOIN fresh t ON t.key = ${a(0)} AND t.scraper = ${a(1)} AND t.owner = ${a(2)}`,
  fetch: `w CROSS JOIN fetches t ON t.queue = ${a(0)} AND t.seq = ${a(1)}`,
  fetches: `w CROSS JOIN fetches t ON t.key = ${a(0)} AND t.scraper = ${a(1)}`,
  baselineIn: `w CROSS JOIN lanes l ON l.name = ${a(1)} CROSS JOIN baselines t ON t.scraper = ${a(0)} AND t.lane = l.id`,
  robots: `w CROSS JOIN robots t ON t.origin = ${a(0)}`,
  removal: `w CROSS JOIN removals t ON t.id = ${a(0)}`,
  answer: `w CROSS JOIN answers t ON t.id = ${a(0)}`,
};

/** Lists whose order counts, and the argument that says how many there are at most. */
export const ORDERED: {
  readonly [N in LoadName]?: { readonly by: readonly string[]; readonly limit?: number };
} = {
  readyShares: { by: ["readyAt", "lane"], limit: 1 },
  freshItems: { by: ["seq"], limit: 2 },
  dueItems: { by: ["dueAt", "seq"], limit: 1 },
  failedAfter: { by: ["queue", "seq"], limit: 4 },
  cappedAfter: { by: ["queue", "seq"], limit: 3 },
};

/** Loads of many rows, where there is one argument list. */
export const ONLY: { readonly [N in LoadName]?: string } = {
  freshItems: "items t WHERE t.queue = ?1 AND t.seq > ?2 ORDER BY t.seq LIMIT ?3",
};
