
ALTER TABLE clients ADD COLUMN max_running INTEGER;
ALTER TABLE clients ADD COLUMN had REAL;
CREATE TABLE service (id INTEGER PRIMARY KEY CHECK (id = 1), turn REAL NOT NULL, latest_at REAL NOT NULL DEFAULT 0);
INSERT INTO service (id, turn) VALUES (1, 0);

ALTER TABLE jobs ADD COLUMN leased INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN scraper TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN deadline_at REAL;
ALTER TABLE jobs ADD COLUMN spent_at REAL;
ALTER TABLE jobs ADD COLUMN paused TEXT;
UPDATE jobs SET scraper = spec ->> 'scraper', leased =
  (SELECT coalesce(sum(l.open), 0) FROM queues q JOIN leases l ON l.queue = q.id WHERE q.job = jobs.number);
CREATE INDEX jobs_client ON jobs (client, number);
CREATE INDEX jobs_state ON jobs (state, number);
CREATE INDEX jobs_scraper ON jobs (scraper, number);
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX jobs_deadline ON jobs (deadline_at) WHERE deadline_at IS NOT NULL AND ended_at IS NULL;
CREATE TABLE job_labels (
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  job INTEGER NOT NULL,
  PRIMARY KEY (name, value, job)
) WITHOUT ROWID;

-- Items by the minute in which they were accepted.
CREATE TABLE accepted (
  client TEXT NOT NULL,
  minute INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (client, minute)
) WITHOUT ROWID;

ALTER TABLE queues ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE queues ADD COLUMN served_at REAL NOT NULL DEFAULT 0;
ALTER TABLE queues ADD COLUMN freshness TEXT;
DROP INDEX queues_ready;
CREATE INDEX queues_ready ON queues (lane, client, priority DESC, served_at) WHERE ready_at IS NOT NULL AND claimable = 1;
CREATE INDEX queues_held ON queues (job) WHERE held IS NOT NULL;

ALTER TABLE lanes ADD COLUMN operator_per_second REAL;
ALTER TABLE lanes ADD COLUMN operator_held INTEGER NOT NULL DEFAULT 0;
DROP INDEX lanes_ready;
ALTER TABLE lanes DROP COLUMN ready_at;

ALTER TABLE turns RENAME TO old_turns;
CREATE TABLE turns (
  lane INTEGER NOT NULL,
  client TEXT NOT NULL,
  had REAL,
  ready_at REAL,
  PRIMARY KEY (lane, client)
) WITHOUT ROWID;
INSERT INTO turns (lane, client, had) SELECT lane, client, had FROM old_turns;
DROP TABLE old_turns;
-- At once: whoever comes to such a lane finds out when it is ready.
INSERT INTO turns (lane, client, ready_at) SELECT DISTINCT lane, client, 0.0 FROM queues WHERE ready_at IS NOT NULL AND claimable = 1
  ON CONFLICT (lane, client) DO UPDATE SET ready_at = 0;
CREATE INDEX turns_ready ON turns (client, ready_at, lane) WHERE ready_at IS NOT NULL;

CREATE INDEX items_ended ON items (queue, state, seq) WHERE state > 3;
CREATE INDEX items_back ON items (queue, state, seq) WHERE due_at IS NOT NULL;
ALTER TABLE results ADD COLUMN skipped TEXT;
UPDATE items SET due_at = 0 WHERE state = 0 AND due_at IS NULL AND queue IN
  (SELECT q.id FROM queues q JOIN jobs j ON j.number = q.job WHERE j.state = 'cancelled' AND q.id = items.queue AND items.seq <= q.cursor);

CREATE TABLE client_hands (
  client TEXT NOT NULL,
  worker TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (client, worker)
) WITHOUT ROWID;
CREATE INDEX client_hands_worker ON client_hands (worker);

CREATE TABLE worker_cards (
  name TEXT PRIMARY KEY,
  card TEXT NOT NULL,
  draining INTEGER NOT NULL,
  lanes TEXT,
  registered_at REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE stops (
  job INTEGER NOT NULL,
  queue INTEGER NOT NULL,
  worker TEXT NOT NULL,
  told INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (job, queue, worker)
) WITHOUT ROWID;
CREATE INDEX stops_worker ON stops (worker);

CREATE INDEX events_job ON events (job, id);
