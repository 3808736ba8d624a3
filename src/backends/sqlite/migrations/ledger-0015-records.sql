
DROP TRIGGER jobs_added;
DROP TRIGGER jobs_changed;
DROP TRIGGER jobs_specified;
DROP TRIGGER jobs_removed;
DROP TRIGGER job_failures_added;
DROP TRIGGER job_failures_changed;
DROP TRIGGER job_failures_removed;
DROP TRIGGER job_changes_added;
DROP TRIGGER job_changes_changed;
DROP TRIGGER job_changes_removed;
DROP INDEX job_sums_open;
DROP INDEX queues_job;
DROP INDEX queues_open;
DROP INDEX queues_probe;
DROP INDEX queues_held;
DROP INDEX workers_until;
DROP INDEX jobs_client;
DROP INDEX jobs_state;
DROP INDEX jobs_ended;
DROP INDEX jobs_deadline;
ALTER TABLE service RENAME TO old_service;
ALTER TABLE clients RENAME TO old_clients;
ALTER TABLE lanes RENAME TO old_lanes;
ALTER TABLE queues RENAME TO old_queues;
ALTER TABLE jobs RENAME TO old_jobs;
ALTER TABLE workers RENAME TO old_workers;
ALTER TABLE items RENAME TO old_items;
ALTER TABLE results RENAME TO old_results;
ALTER TABLE turns RENAME TO old_turns;
ALTER TABLE accepted RENAME TO old_accepted;
ALTER TABLE leases RENAME TO old_leases;
ALTER TABLE hands RENAME TO old_hands;
ALTER TABLE client_hands RENAME TO old_client_hands;
ALTER TABLE stops RENAME TO old_stops;
ALTER TABLE suspects RENAME TO old_suspects;
ALTER TABLE followers RENAME TO old_followers;
ALTER TABLE own_slots RENAME TO old_own_slots;
ALTER TABLE worker_cards RENAME TO old_worker_cards;
ALTER TABLE job_sums RENAME TO old_job_sums;
ALTER TABLE job_failures RENAME TO old_job_failures;
ALTER TABLE job_changes RENAME TO old_job_changes;

CREATE TABLE service (
  id INTEGER PRIMARY KEY, latest_at REAL NOT NULL, boot TEXT NOT NULL, ahead_ms REAL NOT NULL,
  last_queue INTEGER NOT NULL, last_lane INTEGER NOT NULL, last_job INTEGER NOT NULL
);
CREATE TABLE clients (name TEXT PRIMARY KEY, weight REAL NOT NULL, max_running INTEGER, items_per_day INTEGER) WITHOUT ROWID;
CREATE TABLE lanes (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, tat REAL NOT NULL, interval_ms REAL NOT NULL, spare TEXT, ahead TEXT, speed TEXT,
  hold_until REAL NOT NULL, hold_reason TEXT, crawl_delay_ms REAL, crawl_until REAL NOT NULL, operator_per_second REAL,
  is_held_by_operator INTEGER NOT NULL, fresh_run INTEGER NOT NULL, floor REAL NOT NULL
);
CREATE TABLE shares (
  lane INTEGER NOT NULL, client TEXT NOT NULL, had REAL, ready_at REAL, accepted TEXT, PRIMARY KEY (lane, client)
) WITHOUT ROWID;
CREATE INDEX shares_ready ON shares (client, ready_at, lane) WHERE ready_at IS NOT NULL;

CREATE TABLE queues (
  id INTEGER PRIMARY KEY, job INTEGER NOT NULL, lane INTEGER NOT NULL, client TEXT NOT NULL,
  per_second REAL, burst INTEGER NOT NULL, concurrency INTEGER NOT NULL,
  own_per_second REAL, own_concurrency INTEGER, own_next_at REAL NOT NULL, own_slots TEXT,
  tail INTEGER NOT NULL, cursor INTEGER NOT NULL, open INTEGER NOT NULL, leased INTEGER NOT NULL, waiting INTEGER NOT NULL,
  is_claimable INTEGER NOT NULL, has_fresh INTEGER NOT NULL, due_at REAL, priority INTEGER NOT NULL, served_at REAL NOT NULL,
  freshness TEXT, kinds INTEGER NOT NULL, breaker TEXT, is_doubtful INTEGER NOT NULL,
  held TEXT, held_at REAL, probe_at REAL, is_probing INTEGER NOT NULL, trips INTEGER NOT NULL, UNIQUE (job, lane)
);
CREATE INDEX queues_job ON queues (job);
CREATE INDEX queues_work ON queues (lane, client, priority DESC, served_at) WHERE is_claimable = 1 AND (has_fresh = 1 OR due_at IS NOT NULL);
CREATE INDEX queues_open ON queues (lane, per_second, is_claimable, is_probing) WHERE open > 0;
CREATE INDEX queues_probe ON queues (probe_at) WHERE probe_at IS NOT NULL AND is_probing = 0;
CREATE INDEX queues_held ON queues (job) WHERE held IS NOT NULL;

CREATE TABLE jobs (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, client TEXT NOT NULL, spec TEXT NOT NULL, state TEXT NOT NULL, is_sealed INTEGER NOT NULL,
  created_at REAL NOT NULL, ended_at REAL, deadline_at REAL, spent_at REAL, paused TEXT, revision INTEGER NOT NULL, reopened_at REAL, key_seed INTEGER,
  received INTEGER NOT NULL, accepted INTEGER NOT NULL, folded INTEGER NOT NULL, rejected INTEGER NOT NULL, rejects TEXT, capped TEXT NOT NULL,
  done INTEGER NOT NULL, absent INTEGER NOT NULL, failed INTEGER NOT NULL, skipped INTEGER NOT NULL, cancelled INTEGER NOT NULL,
  partial INTEGER NOT NULL, requests INTEGER NOT NULL, bytes INTEGER NOT NULL, field_counts TEXT, failures TEXT, changes TEXT, sum INTEGER
);
CREATE INDEX jobs_client ON jobs (client, number);
CREATE INDEX jobs_state ON jobs (state, number);
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX jobs_deadline ON jobs (deadline_at) WHERE deadline_at IS NOT NULL AND ended_at IS NULL;

CREATE TABLE workers (
  name TEXT PRIMARY KEY, until REAL, is_alone INTEGER NOT NULL, jobs TEXT, card TEXT, registered_at REAL NOT NULL, leases TEXT,
  next_lease INTEGER NOT NULL, running TEXT, pulse_lease INTEGER NOT NULL, unsettled TEXT, in_flight TEXT, running_in TEXT, running_by TEXT,
  stops TEXT, last_claim TEXT, last_pulse TEXT
) WITHOUT ROWID;
CREATE INDEX workers_until ON workers (until);

CREATE TABLE items (
  queue INTEGER NOT NULL, seq INTEGER NOT NULL, key TEXT NOT NULL, input TEXT NOT NULL, scraper INTEGER NOT NULL, depth INTEGER NOT NULL,
  chain INTEGER NOT NULL, parent_queue INTEGER, parent_seq INTEGER, sum INTEGER, PRIMARY KEY (queue, seq)
) WITHOUT ROWID;
CREATE TABLE retries (
  queue INTEGER NOT NULL, seq INTEGER NOT NULL, state TEXT NOT NULL, due_at REAL, attempts INTEGER NOT NULL, throttles INTEGER NOT NULL,
  has_acted INTEGER NOT NULL, blamed INTEGER NOT NULL, unexplained INTEGER NOT NULL, leader_queue INTEGER, leader_seq INTEGER,
  is_free INTEGER NOT NULL, last TEXT, history TEXT, sum INTEGER, PRIMARY KEY (queue, seq)
) WITHOUT ROWID;
CREATE INDEX retries_due ON retries (queue, due_at) WHERE due_at IS NOT NULL;
-- With the time, or SQLite would go through all retries of the queue.
CREATE INDEX retries_state ON retries (queue, state, seq, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX retries_suspect ON retries (due_at) WHERE due_at IS NOT NULL AND state = 'suspect';
CREATE INDEX retries_leader ON retries (leader_queue, leader_seq) WHERE leader_queue IS NOT NULL;
CREATE TABLE results (
  queue INTEGER NOT NULL, seq INTEGER NOT NULL, state INTEGER NOT NULL, attempts INTEGER NOT NULL, ended_at REAL NOT NULL, quality TEXT,
  skipped TEXT, change TEXT, failure TEXT, captures TEXT, records TEXT, attempt TEXT, revision INTEGER NOT NULL, sum INTEGER, PRIMARY KEY (queue, seq)
) WITHOUT ROWID;
CREATE INDEX results_state ON results (queue, state, seq) WHERE state > 3;

CREATE TABLE answers (id TEXT PRIMARY KEY, at REAL NOT NULL, reply TEXT) WITHOUT ROWID;
CREATE INDEX answers_at ON answers (at);
-- How far each consumer of the events has come.
CREATE TABLE cursors (consumer TEXT PRIMARY KEY, at INTEGER NOT NULL, moved_at REAL NOT NULL) WITHOUT ROWID;


CREATE TABLE old_places AS SELECT l.worker, l.id AS lease, l.queue, i.seq FROM old_leases l
  JOIN old_items i ON i.queue = l.queue AND i.seq BETWEEN l.lo AND l.hi
  WHERE i.state = 0 AND i.due_at IS NULL AND i.suspect = 0 AND coalesce(i.lease, l.id) = l.id;

INSERT INTO items SELECT queue, seq, key, input, scraper, depth, chain, parent_queue, parent_seq,
  row_sum(queue, seq, key, input, scraper, depth, chain, parent_queue, parent_seq) FROM old_items;
INSERT INTO results SELECT i.queue, i.seq, i.state, i.attempts, coalesce(r.ended_at, 0), r.quality, r.skipped, r.change, r.failure, r.captures, r.records,
  r.attempt, coalesce(r.revision, 0), iif(r.queue IS NULL OR coalesce(r.sum <> row_sum(r.queue, r.seq, r.ended_at, r.quality, r.failure, r.captures, r.records, r.skipped, r.change, r.attempt,
    r.revision, concat_ws(char(31), i.key, i.input, i.scraper, i.depth, coalesce(i.parent_queue, ''), coalesce(i.parent_seq, ''), max(i.state, 2),
    i.attempts, i.throttles)), j.whole, 0), -1,
    row_sum(r.queue, r.seq, i.state, i.attempts, r.ended_at, r.quality, r.skipped, r.change, r.failure, r.captures, r.records, r.attempt, r.revision))
  FROM old_items i JOIN old_queues q ON q.id = i.queue LEFT JOIN old_job_sums j ON j.job = q.job
  LEFT JOIN old_results r ON r.queue = i.queue AND r.seq = i.seq WHERE i.state > 2;
INSERT INTO retries SELECT i.queue, i.seq, CASE WHEN i.state > 2 THEN 'queued' WHEN s.queue IS NOT NULL THEN 'suspect' WHEN i.state = 2 THEN 'waiting' ELSE 'queued' END,
  CASE WHEN i.state > 2 THEN NULL WHEN s.in_hand = 0 THEN s.due_at ELSE i.due_at END, i.attempts, i.throttles, i.acted,
  coalesce(s.blamed, 0), coalesce(s.unexplained, 0), f.leader_queue, f.leader_seq, coalesce(f.free, 0),
  CASE WHEN i.state < 3 AND r.queue IS NOT NULL THEN '{"failure":' || coalesce(r.failure, 'null') || ',"captures":' || coalesce(r.captures, '[]') ||
    ',"records":' || coalesce(r.records, 'null') || ',"attempt":' || coalesce(r.attempt, 'null') || ',"revision":' || r.revision || '}' END,
  r.history, iif(r.queue IS NOT NULL AND (iif(r.history IS NULL, r.history_sum IS NOT NULL, coalesce(r.history_sum <> row_sum(r.queue, r.seq, r.history), j.whole, 0)) OR (i.state < 3 AND coalesce(r.sum <> row_sum(r.queue, r.seq, r.ended_at, r.quality, r.failure, r.captures, r.records, r.skipped, r.change, r.attempt,
    r.revision, concat_ws(char(31), i.key, i.input, i.scraper, i.depth, coalesce(i.parent_queue, ''), coalesce(i.parent_seq, ''), max(i.state, 2),
    i.attempts, i.throttles)), j.whole, 0))), -1, NULL)
  FROM old_items i JOIN old_queues q ON q.id = i.queue LEFT JOIN old_job_sums j ON j.job = q.job
  LEFT JOIN old_results r ON r.queue = i.queue AND r.seq = i.seq LEFT JOIN old_suspects s ON s.queue = i.queue AND s.seq = i.seq LEFT JOIN old_followers f ON f.queue = i.queue AND f.seq = i.seq
  WHERE r.history IS NOT NULL OR r.history_sum IS NOT NULL OR (i.state < 3 AND (i.due_at IS NOT NULL OR i.attempts > 0 OR i.throttles > 0 OR i.acted = 1
    OR r.queue IS NOT NULL OR s.queue IS NOT NULL OR f.queue IS NOT NULL));
UPDATE retries SET sum = row_sum(queue, seq, state, due_at, attempts, throttles, has_acted, blamed, unexplained, leader_queue, leader_seq, is_free, last,
  history) WHERE sum IS NULL;

INSERT INTO service SELECT 1, latest_at, boot, ahead_ms, max(last_queue, (SELECT coalesce(max(id), 0) FROM old_queues)),
  (SELECT coalesce(max(id), 0) FROM old_lanes),
  max((SELECT coalesce(max(number), 0) FROM old_jobs), (SELECT coalesce(max(number), 0) FROM removals)) FROM old_service;
INSERT INTO clients SELECT name, weight, max_running, items_per_day FROM old_clients;
INSERT INTO lanes SELECT 0, '', 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, turn FROM old_service;
INSERT INTO lanes SELECT id, name, tat, interval_ms, nullif(spare, '[]'), nullif(ahead, '[]'), speed, hold_until, hold_reason, crawl_delay_ms, crawl_until,
  operator_per_second, operator_held, fresh_run, turn FROM old_lanes;
INSERT INTO shares SELECT lane, client, had, ready_at, NULL FROM old_turns;
INSERT INTO shares SELECT 0, c.name, c.had, NULL, (SELECT nullif(json_group_object(day, n), '{}') FROM
  (SELECT CAST(a.minute / 1440 AS INTEGER) AS day, sum(a.count) AS n FROM old_accepted a WHERE a.client = c.name GROUP BY 1)) FROM old_clients c;
INSERT INTO queues SELECT q.id, q.job, q.lane, q.client, q.per_second, q.burst, q.concurrency, q.own_per_second, q.own_concurrency, q.own_next,
  (SELECT nullif(json_group_object(o.lane, o.tat), '{}') FROM old_own_slots o WHERE o.queue = q.id), q.tail, q.cursor, q.open,
  (SELECT count(*) FROM old_places p WHERE p.queue = q.id),
  (SELECT count(*) FROM old_items i WHERE i.queue = q.id AND i.state = 2 AND i.due_at IS NOT NULL AND j.state <> 'cancelled' AND j.spent_at IS NULL),
  q.claimable, EXISTS (SELECT 1 FROM old_items i WHERE i.queue = q.id AND i.seq > q.cursor),
  (SELECT min(i.due_at) FROM old_items i WHERE i.queue = q.id AND i.due_at IS NOT NULL), q.priority, q.served_at, q.freshness, q.kinds, q.breaker,
  q.doubtful, q.held, q.held_at, q.probe_at, q.probing, q.trips FROM old_queues q LEFT JOIN old_jobs j ON j.number = q.job;

INSERT INTO jobs SELECT j.number, j.id, j.client, j.spec, j.state, j.sealed, j.created_at, j.ended_at, j.deadline_at, j.spent_at, j.paused, j.revision,
  j.reopened_at, j.key_seed, j.received, j.accepted, j.folded, j.rejected, nullif(j.rejects, '[]'),
  json_object('items', j.capped - j.too_deep - j.capped_chain - j.capped_budget - j.capped_quota, 'depth', j.too_deep, 'chain', j.capped_chain,
    'budget', j.capped_budget, 'quota', j.capped_quota),
  j.done, j.absent, j.failed, j.skipped, j.cancelled, j.partial, j.requests, j.bytes, nullif(j.field_counts, '[]'),
  (SELECT nullif(json_group_object(f.kind, json_object('final', f.final, 'attempts', f.attempts, 'exampleKey', coalesce(f.example_key, ''),
    'exampleDetail', coalesce(f.example_detail, ''))), '{}') FROM old_job_failures f WHERE f.job = j.number),
  (SELECT nullif(json_group_object(c.change, c.count), '{}') FROM old_job_changes c WHERE c.job = j.id),
  CASE WHEN s.spec <> row_sum(j.number, j.spec) THEN -1 END
  FROM old_jobs j LEFT JOIN old_job_sums s ON s.job = j.number;
UPDATE jobs SET sum = row_sum(number, id, client, spec, state, is_sealed, created_at, ended_at, deadline_at, spent_at, paused, revision, reopened_at,
  key_seed, received, accepted, folded, rejected, rejects, capped, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts,
  failures, changes) WHERE sum IS NULL;
-- Jobs are found by their scraper as by a label, which has no name.
INSERT INTO job_labels SELECT '', scraper, number FROM old_jobs;

INSERT INTO workers SELECT n.name, w.until, coalesce(w.alone, 0), w.jobs, c.card, coalesce(c.registered_at, 0),
  (SELECT nullif(json_group_array(json_object('id', lease, 'queue', queue, 'job', job, 'client', client, 'open', json(places),
      'hasRetries', json(iif(has_retries, 'true', 'false'))) ORDER BY lease), '[]')
    FROM (SELECT lease, queue, job, client, '[' || group_concat(first || ',' || last ORDER BY first) || ']' AS places, max(has_retries) AS has_retries
      FROM (SELECT lease, queue, min(seq) AS first, max(seq) AS last, max(has_retries) AS has_retries
        FROM (SELECT p.lease, p.queue, p.seq, p.seq - row_number() OVER (PARTITION BY p.lease ORDER BY p.seq) AS run,
            EXISTS (SELECT 1 FROM retries t WHERE t.queue = p.queue AND t.seq = p.seq) AS has_retries
          FROM old_places p WHERE p.worker = n.name) GROUP BY lease, queue, run)
      JOIN old_queues q ON q.id = queue GROUP BY lease)),
  (SELECT coalesce(max(id), 0) + 1 FROM old_leases),
  (SELECT nullif('[' || group_concat((value ->> 0) || ',' || (value ->> 1)) || ']', '[]') FROM json_each(w.running)), coalesce(w.pulse_lease, 0) + 1,
  (SELECT '[' || group_concat((value ->> 0) || ',' || (value ->> 1) || ',' || (value ->> 2)) || ']' FROM json_each(w.unsettled)),
  (SELECT nullif(json_group_object(l.name, h.count), '{}') FROM old_hands h JOIN old_lanes l ON l.id = h.lane WHERE h.worker = n.name),
  (SELECT nullif(json_group_object(queue, n), '{}') FROM (SELECT queue, sum(n) AS n FROM (
    SELECT value ->> 0 AS queue, 1 AS n FROM json_each(w.running) UNION ALL
    SELECT p.queue, 1 FROM old_places p WHERE p.worker = n.name AND p.lease > w.pulse_lease) GROUP BY queue)),
  (SELECT nullif(json_group_object(h.client, h.count), '{}') FROM old_client_hands h WHERE h.worker = n.name),
  (SELECT nullif(json_group_array(json_object('job', s.job, 'queue', s.queue, 'isTold', json(iif(s.told = 1, 'true', 'false')))), '[]')
    FROM old_stops s WHERE s.worker = n.name), NULL, NULL
  FROM (SELECT name FROM old_workers UNION SELECT name FROM old_worker_cards) n
  LEFT JOIN old_workers w ON w.name = n.name LEFT JOIN old_worker_cards c ON c.name = n.name;

ALTER TABLE fresh RENAME COLUMN failed TO is_failure;

DROP TABLE old_service;
DROP TABLE old_clients;
DROP TABLE old_lanes;
DROP TABLE old_queues;
DROP TABLE old_jobs;
DROP TABLE old_workers;
DROP TABLE old_items;
DROP TABLE old_results;
DROP TABLE old_turns;
DROP TABLE old_accepted;
DROP TABLE old_leases;
DROP TABLE old_hands;
DROP TABLE old_client_hands;
DROP TABLE old_stops;
DROP TABLE old_suspects;
DROP TABLE old_followers;
DROP TABLE old_own_slots;
DROP TABLE old_worker_cards;
DROP TABLE old_job_sums;
DROP TABLE old_job_failures;
DROP TABLE old_job_changes;
DROP TABLE old_places;
