-- What ledger-0001 to ledger-0018 lead to, which new files begin with: a test compares them.
CREATE TABLE item_keys (
  job INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (job, hash)
) WITHOUT ROWID;
CREATE TABLE baselines (
  scraper TEXT NOT NULL,
  lane INTEGER NOT NULL,
  breaker TEXT NOT NULL,
  PRIMARY KEY (scraper, lane)
) WITHOUT ROWID;
CREATE TABLE robots (
  origin TEXT PRIMARY KEY,
  text TEXT,
  until REAL NOT NULL DEFAULT 0,
  fetcher TEXT,
  fetch_until REAL NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at REAL NOT NULL,
  type TEXT NOT NULL,
  job TEXT NOT NULL,
  facts TEXT NOT NULL
);
CREATE TABLE job_labels (
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  job INTEGER NOT NULL,
  PRIMARY KEY (name, value, job)
) WITHOUT ROWID;
CREATE INDEX events_job ON events (job, id);
CREATE TABLE fresh (
  key TEXT NOT NULL,
  scraper TEXT NOT NULL,
  owner TEXT NOT NULL,
  is_failure INTEGER NOT NULL,
  version TEXT NOT NULL,
  job TEXT NOT NULL,
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  fetched_at REAL NOT NULL,
  fresh_until REAL NOT NULL,
  outcome TEXT NOT NULL,
  etag TEXT,
  last_modified TEXT,
  url TEXT,
  digest TEXT,
  PRIMARY KEY (key, scraper, owner, is_failure)
) WITHOUT ROWID;
CREATE TABLE fetches (
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  job TEXT NOT NULL,
  client TEXT NOT NULL,
  scraper TEXT NOT NULL,
  version TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (queue, seq)
) WITHOUT ROWID;
CREATE INDEX fetches_key ON fetches (key, scraper);
CREATE TABLE work_sums (name TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE capped (
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  key TEXT NOT NULL,
  input TEXT NOT NULL,
  scraper INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  chain INTEGER NOT NULL,
  parent_queue INTEGER,
  parent_seq INTEGER,
  cap TEXT NOT NULL,
  PRIMARY KEY (queue, seq)
) WITHOUT ROWID;
CREATE TABLE removals (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  client TEXT NOT NULL,
  scraper TEXT NOT NULL,
  what TEXT NOT NULL,
  created_at REAL NOT NULL,
  ended_at REAL NOT NULL,
  marked_at REAL NOT NULL,
  step TEXT,
  queue INTEGER NOT NULL DEFAULT 0,
  seq INTEGER NOT NULL DEFAULT 0,
  counted_to TEXT NOT NULL DEFAULT '',
  items INTEGER NOT NULL DEFAULT 0,
  captures INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX removals_open ON removals (marked_at) WHERE step IS NOT NULL;
CREATE TABLE kept_objects (
  owner TEXT NOT NULL,
  object TEXT NOT NULL,
  size INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, object)
) WITHOUT ROWID;
CREATE TABLE sweeps (owner TEXT PRIMARY KEY, asked INTEGER NOT NULL, due_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE borrowed (owner TEXT NOT NULL, queue INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (owner, queue, seq)) WITHOUT ROWID;
CREATE INDEX borrowed_by ON borrowed (queue, seq);
CREATE TABLE service (
  id INTEGER PRIMARY KEY, latest_at REAL NOT NULL, boot TEXT NOT NULL, ahead_ms REAL NOT NULL,
  last_queue INTEGER NOT NULL, last_lane INTEGER NOT NULL, last_job INTEGER NOT NULL
);
CREATE TABLE clients (name TEXT PRIMARY KEY, weight REAL NOT NULL, max_running INTEGER, items_per_day INTEGER, requests_per_day INTEGER, bytes_per_day INTEGER, cost_per_day REAL) WITHOUT ROWID;
CREATE TABLE lanes (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, tat REAL NOT NULL, interval_ms REAL NOT NULL, spare TEXT, ahead TEXT, speed TEXT,
  hold_until REAL NOT NULL, hold_reason TEXT, crawl_delay_ms REAL, crawl_until REAL NOT NULL, operator_per_second REAL,
  is_held_by_operator INTEGER NOT NULL, fresh_run INTEGER NOT NULL, floor REAL NOT NULL
, ways TEXT, tiers TEXT, spent TEXT);
CREATE TABLE shares (
  lane INTEGER NOT NULL, client TEXT NOT NULL, had REAL, ready_at REAL, accepted TEXT, spent TEXT, PRIMARY KEY (lane, client)
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
, costs TEXT);
CREATE INDEX jobs_client ON jobs (client, number);
CREATE INDEX jobs_state ON jobs (state, number);
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX jobs_deadline ON jobs (deadline_at) WHERE deadline_at IS NOT NULL AND ended_at IS NULL;
CREATE TABLE workers (
  name TEXT PRIMARY KEY, until REAL, is_alone INTEGER NOT NULL, jobs TEXT, card TEXT, registered_at REAL NOT NULL, leases TEXT,
  next_lease INTEGER NOT NULL, running TEXT, pulse_lease INTEGER NOT NULL, unsettled TEXT, in_flight TEXT, running_in TEXT, running_by TEXT,
  stops TEXT, last_claim TEXT, last_pulse TEXT
, unsettled_tiers TEXT) WITHOUT ROWID;
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
CREATE TABLE cursors (consumer TEXT PRIMARY KEY, at INTEGER NOT NULL, moved_at REAL NOT NULL) WITHOUT ROWID;
INSERT INTO service VALUES (1, 0, '', 0, 0, 0, 0);
INSERT INTO lanes (id, name, tat, interval_ms, hold_until, crawl_until, is_held_by_operator, fresh_run, floor)
VALUES (0, '', 0, 0, 0, 0, 0, 0, 0);
