import { type LoadName, MOST_QUEUES } from "../../ledger/loads.ts";

/**
 * Where each set of records is found: what follows `SELECT columns`. `w` has a row for each argument list, `t` is the table of the kind. Arguments
 * are written with their type, which each engine turns into its own SQL: `@n0` is the first one, a whole number; `@r0` any number, `@t0` a text;
 * `@N0` and `@T0` are the values of a JSON list, as rows. `CROSS JOIN` keeps engines from choosing another order than this one, which follows the
 * indexes. `@open(q)`: a queue with items that have not ended. `@ready(s)`: a share with something ready now or later. `@most1`: the largest of the
 * second arguments, where a limit cannot differ from one argument list to the next; `ORDERED` cuts what is too much.
 */
const READY = `SELECT s.lane FROM shares s WHERE s.client = @t0 AND @ready(s)
  AND (@t3 IS NULL OR EXISTS (SELECT 1 FROM @N3 mine CROSS JOIN queues q ON q.job = mine.value AND q.lane = s.lane
    WHERE q.client = s.client AND q.is_claimable = 1 AND (q.has_fresh = 1 OR q.due_at IS NOT NULL)))
  AND (@t4 IS NULL OR s.lane IN @N4)
  AND (@n5 IS NULL OR EXISTS (SELECT 1 FROM queues q WHERE q.lane = s.lane AND q.client = s.client AND q.is_claimable = 1
    AND (q.has_fresh = 1 OR q.due_at IS NOT NULL) AND (q.kinds & ~@n5) = 0))`;
const READY_FIRST = `${READY} ORDER BY s.ready_at, s.lane LIMIT @most1`;
const READY_NOW = `${READY} AND s.ready_at <= @r2 ORDER BY s.ready_at, s.lane LIMIT @most1`;

export const LOADS: { readonly [N in LoadName]: string } = {
  service: "w CROSS JOIN service t",
  firstClients: "w CROSS JOIN clients t ON t.name IN (SELECT name FROM clients LIMIT 2)",
  clientOfQueue: `w CROSS JOIN queues q ON q.id = @n0 CROSS JOIN clients t ON t.name = q.client`,
  client: `w CROSS JOIN clients t ON t.name = @t0`,
  // Steps through the index from one client to the next: as many steps as there are clients with work, however many lanes they
  // have.
  clientsWithWork: `w CROSS JOIN clients t ON t.name IN (
    WITH RECURSIVE ready (client) AS (
      SELECT min(s.client) FROM shares s WHERE @ready(s)
      UNION ALL SELECT (SELECT min(s.client) FROM shares s WHERE @ready(s) AND s.client > ready.client) FROM ready
      WHERE ready.client IS NOT NULL)
    SELECT client FROM ready WHERE client IS NOT NULL)`,
  lane: `w CROSS JOIN lanes t ON t.id = @n0`,
  laneNamed: `w CROSS JOIN lanes t ON t.name = @t0`,
  laneOfQueue: `w CROSS JOIN queues q ON q.id = @n0 CROSS JOIN lanes t ON t.id = q.lane`,
  share: `w CROSS JOIN shares t ON t.lane = @n0 AND t.client = @t1`,
  shareOfQueue: `w CROSS JOIN queues q ON q.id = @n0 CROSS JOIN shares t ON t.lane = q.lane AND t.client = q.client`,
  clientShareOfQueue: `w CROSS JOIN queues q ON q.id = @n0 CROSS JOIN shares t ON t.lane = 0 AND t.client = q.client`,
  shareIn: `w CROSS JOIN lanes l ON l.name = @t0 CROSS JOIN shares t ON t.lane = l.id AND t.client = @t1`,
  sharesIn: `w CROSS JOIN lanes l ON l.name = @t0 CROSS JOIN shares t ON t.lane = l.id`,
  sharesOf: `w CROSS JOIN shares t ON t.lane = @n0`,

  readyShares: `w CROSS JOIN shares t ON t.client = @t0 AND t.lane IN (${READY_FIRST})`,
  readyLanes: `w CROSS JOIN lanes t ON t.id IN (${READY_NOW})`,
  readyNeighbours: `w CROSS JOIN shares t ON t.lane IN (${READY_NOW}) AND t.ready_at <= @r2`,
  // Queues that were requested and can give something now come first. One more than needed, to know whether these are all.
  readyQueues: `w CROSS JOIN shares n ON n.lane IN (${READY_NOW}) AND n.ready_at <= @r2 CROSS JOIN queues t ON t.id IN (
    SELECT q.id FROM queues q WHERE q.lane = n.lane AND q.client = n.client AND q.is_claimable = 1 AND (q.has_fresh = 1 OR q.due_at IS NOT NULL)
    ORDER BY (@t3 IS NULL OR q.job IN @N3) AND (@n5 IS NULL OR (q.kinds & ~@n5) = 0) DESC,
      (q.has_fresh = 1 OR q.due_at <= @r2) AND q.own_next_at <= @r2 DESC, q.priority DESC, q.served_at LIMIT ${MOST_QUEUES + 1})`,

  queue: `w CROSS JOIN queues t ON t.id = @n0`,
  queueIn: `w CROSS JOIN lanes l ON l.name = @t1 CROSS JOIN queues t ON t.job = @n0 AND t.lane = l.id`,
  queuesInLane: `w CROSS JOIN lanes l ON l.name = @t0 CROSS JOIN queues t ON t.lane = l.id AND @open(t)`,
  queuesOf: `w CROSS JOIN queues t ON t.job = @n0`,
  troubledQueues: `w CROSS JOIN queues t ON t.job = @n0 AND (t.held IS NOT NULL OR t.is_doubtful = 1)`,
  openQueuesIn: `w CROSS JOIN queues t ON t.lane = @n0 AND t.is_claimable = 1 AND (t.has_fresh = 1 OR t.due_at IS NOT NULL)`,
  dueProbes: `w CROSS JOIN queues t ON t.probe_at <= @r0 AND t.is_probing = 0
    CROSS JOIN jobs j ON j.number = t.job AND j.state IN ('loading', 'running')`,
  nextProbe: `w CROSS JOIN queues t ON t.id = (SELECT q.id FROM queues q CROSS JOIN jobs j ON j.number = q.job
    WHERE q.probe_at IS NOT NULL AND q.is_probing = 0 AND j.state IN ('loading', 'running')
      AND (@t0 IS NULL OR q.job IN @N0) ORDER BY q.probe_at LIMIT 1)`,

  job: `w CROSS JOIN jobs t ON t.number = @n0`,
  jobNamed: `w CROSS JOIN jobs t ON t.id = @t0`,
  jobOfQueue: `w CROSS JOIN queues q ON q.id = @n0 CROSS JOIN jobs t ON t.number = q.job`,
  overdueJob: `w CROSS JOIN jobs t ON t.number = (SELECT number FROM jobs WHERE deadline_at IS NOT NULL AND ended_at IS NULL
    AND state <> 'cancelled' AND deadline_at <= @r0 ORDER BY deadline_at LIMIT 1)`,

  failureTimes: `w CROSS JOIN failure_times t ON t.job = @n0`,
  failureTimesOfQueue: `w CROSS JOIN queues q ON q.id = @n0 CROSS JOIN failure_times t ON t.job = q.job`,

  worker: `w CROSS JOIN workers t ON t.name = @t0`,
  workers: "w CROSS JOIN workers t",
  silentWorkers: `w CROSS JOIN workers t ON t.until < @r0`,
  peers: "w CROSS JOIN workers t ON t.until IS NOT NULL",

  item: `w CROSS JOIN items t ON t.queue = @n0 AND t.seq = @n1`,
  itemsBetween: `w CROSS JOIN items t ON t.queue = @n0 AND t.seq BETWEEN @n1 AND @n2`,
  freshItems: `w CROSS JOIN items t ON t.queue = @n0 AND t.seq IN (
    SELECT i.seq FROM items i WHERE i.queue = @n0 AND i.seq > @n1 ORDER BY i.seq LIMIT @most2)`,
  retry: `w CROSS JOIN retries t ON t.queue = @n0 AND t.seq = @n1`,
  dueItems: `w CROSS JOIN retries t ON t.queue = @n0 AND t.seq IN (SELECT r.seq FROM retries r
      WHERE r.queue = @n0 AND r.due_at IS NOT NULL AND r.state <> 'suspect' ORDER BY r.due_at LIMIT @most1)
    CROSS JOIN items i ON i.queue = t.queue AND i.seq = t.seq`,
  suspects: `w CROSS JOIN (SELECT min(r.queue) AS queue, q.job, q.lane, q.kinds, count(*) AS count, min(r.due_at) AS due_at
    FROM retries r JOIN queues q ON q.id = r.queue WHERE r.state = 'suspect' AND r.due_at IS NOT NULL AND q.is_claimable = 1
    GROUP BY r.queue + 0, q.job, q.lane, q.kinds) t`,
  dueSuspect: `w CROSS JOIN retries t ON t.queue = @n0 AND t.seq = (SELECT r.seq FROM retries r
      WHERE r.queue = @n0 AND r.state = 'suspect' AND r.due_at IS NOT NULL ORDER BY r.due_at, r.seq LIMIT 1)
    CROSS JOIN items i ON i.queue = t.queue AND i.seq = t.seq`,
  followers: `w CROSS JOIN retries t ON t.leader_queue = @n0 AND t.leader_seq = @n1 AND t.is_free = 0`,
  result: `w CROSS JOIN results t ON t.queue = @n0 AND t.seq = @n1`,
  // Found by index, so that the cost does not depend on the queue; for records with missing fields, the latest results are
  // scanned.
  examples: `w CROSS JOIN items t ON t.queue = @n0 AND t.seq IN (SELECT seq FROM (
      SELECT * FROM (SELECT e.seq, e.captures IS NULL AS bare FROM results e WHERE e.queue = @n0 AND e.state > 3
        AND e.state = CASE @t1 WHEN 'absent' THEN 4 WHEN 'failures' THEN 5 END ORDER BY e.seq DESC LIMIT 50)
      UNION ALL SELECT * FROM (SELECT e.seq, e.last -> 'captures' IS NULL FROM retries e WHERE e.queue = @n0 AND @t1 = 'failures'
        AND e.due_at IS NOT NULL AND e.state = 'waiting' ORDER BY e.due_at DESC LIMIT 50)
      UNION ALL SELECT * FROM (SELECT seq, captures IS NULL FROM (SELECT * FROM results WHERE queue = @n0 ORDER BY seq DESC LIMIT 500) latest
        WHERE quality = 'partial' AND @t1 NOT IN ('absent', 'failures') LIMIT 50)
      ORDER BY bare, seq DESC LIMIT 3))
    LEFT JOIN results r ON r.queue = t.queue AND r.seq = t.seq LEFT JOIN retries y ON y.queue = t.queue AND y.seq = t.seq`,
  failedAfter: `w CROSS JOIN results t ON (t.queue, t.seq) IN (SELECT r.queue, r.seq FROM queues q CROSS JOIN results r ON r.queue = q.id
    AND r.seq > CASE q.id WHEN @n2 THEN @n3 ELSE 0 END WHERE q.job = @n0 AND q.id >= @n2 AND r.state > 3 AND r.state = 5
      AND (@t1 IS NULL OR r.failure ->> 'kind' IN @T1)
    ORDER BY q.id, r.seq LIMIT @most4)`,
  capped: `w CROSS JOIN capped t ON t.queue = @n0 AND t.seq = @n1`,
  cappedBetween: `w CROSS JOIN capped t ON t.queue = @n0 AND t.seq BETWEEN @n1 AND @n2`,
  cappedAfter: `w CROSS JOIN capped t ON (t.queue, t.seq) IN (SELECT c.queue, c.seq FROM queues q CROSS JOIN capped c ON c.queue = q.id
    AND c.seq > CASE q.id WHEN @n1 THEN @n2 ELSE 0 END WHERE q.job = @n0 AND q.id >= @n1 ORDER BY q.id, c.seq LIMIT @most3)`,
  keys: `w CROSS JOIN item_keys t ON t.job = @n0 AND t.hash IN @N1`,
  key: `w CROSS JOIN item_keys t ON t.job = @n0 AND t.hash = @n1`,

  fresh: `w CROSS JOIN fresh t ON t.key = @t0 AND t.scraper = @t1 AND t.owner = @t2`,
  fetch: `w CROSS JOIN fetches t ON t.queue = @n0 AND t.seq = @n1`,
  fetches: `w CROSS JOIN fetches t ON t.key = @t0 AND t.scraper = @t1`,
  baselineIn: `w CROSS JOIN lanes l ON l.name = @t1 CROSS JOIN baselines t ON t.scraper = @t0 AND t.lane = l.id`,
  robots: `w CROSS JOIN robots t ON t.origin = @t0`,
  removal: `w CROSS JOIN removals t ON t.id = @t0`,
  answer: `w CROSS JOIN answers t ON t.id = @t0`,
  document: `w CROSS JOIN documents t ON t.kind = @t0 AND t.name = @t1`,
};

/** Ordered lists, and the argument that is their maximum length. */
export const ORDERED: {
  readonly [N in LoadName]?: { readonly by: readonly string[]; readonly limit?: number };
} = {
  readyShares: { by: ["readyAt", "lane"], limit: 1 },
  freshItems: { by: ["seq"], limit: 2 },
  dueItems: { by: ["dueAt", "seq"], limit: 1 },
  failedAfter: { by: ["queue", "seq"], limit: 4 },
  cappedAfter: { by: ["queue", "seq"], limit: 3 },
};

/** Loads of many rows, for a single argument list. */
export const ONLY: { readonly [N in LoadName]?: string } = {
  freshItems: "items t WHERE t.queue = ?1 AND t.seq > ?2 ORDER BY t.seq LIMIT ?3",
};
