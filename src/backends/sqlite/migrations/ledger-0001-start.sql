
CREATE TABLE clients (name TEXT PRIMARY KEY, weight REAL NOT NULL DEFAULT 1) WITHOUT ROWID;

CREATE TABLE jobs (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  client TEXT NOT NULL,
  spec TEXT NOT NULL,
  state TEXT NOT NULL,
  sealed INTEGER NOT NULL DEFAULT 0,
  created_at REAL NOT NULL,
  ended_at REAL,
  received INTEGER NOT NULL DEFAULT 0,
  accepted INTEGER NOT NULL DEFAULT 0,
  folded INTEGER NOT NULL DEFAULT 0,
  rejected INTEGER NOT NULL DEFAULT 0,
  capped INTEGER NOT NULL DEFAULT 0,
  waiting INTEGER NOT NULL DEFAULT 0,
  done INTEGER NOT NULL DEFAULT 0,
  absent INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0,
  partial INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  field_counts TEXT NOT NULL DEFAULT '[]',
  rejects TEXT NOT NULL DEFAULT '[]'
);

CREATE TABLE job_failures (
  job INTEGER NOT NULL,
  kind TEXT NOT NULL,
  final INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  example_key TEXT,
  example_detail TEXT,
  PRIMARY KEY (job, kind)
) WITHOUT ROWID;

CREATE TABLE lanes (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  tat REAL NOT NULL DEFAULT 0,
  interval_ms REAL NOT NULL DEFAULT 0,
  spare TEXT NOT NULL DEFAULT '[]',
  speed TEXT,
  hold_until REAL NOT NULL DEFAULT 0,
  hold_reason TEXT,
  crawl_delay_ms REAL,
  crawl_until REAL NOT NULL DEFAULT 0,
  fresh_run INTEGER NOT NULL DEFAULT 0,
  turn REAL NOT NULL DEFAULT 0,
  ready_at REAL
);
CREATE INDEX lanes_ready ON lanes (ready_at, id) WHERE ready_at IS NOT NULL;

-- A queue is one job's items in one lane: tail is the last place given out, cursor the last place claimed.
CREATE TABLE queues (
  id INTEGER PRIMARY KEY,
  job INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  client TEXT NOT NULL,
  per_second REAL,
  burst INTEGER NOT NULL,
  concurrency INTEGER NOT NULL,
  tail INTEGER NOT NULL DEFAULT 0,
  cursor INTEGER NOT NULL DEFAULT 0,
  open INTEGER NOT NULL DEFAULT 0,
  claimable INTEGER NOT NULL DEFAULT 1,
  ready_at REAL,
  breaker TEXT,
  doubtful INTEGER NOT NULL DEFAULT 0,
  held TEXT,
  held_at REAL,
  probe_at REAL,
  probing INTEGER NOT NULL DEFAULT 0,
  trips INTEGER NOT NULL DEFAULT 0,
  UNIQUE (job, lane)
);
CREATE INDEX queues_ready ON queues (lane, ready_at) WHERE ready_at IS NOT NULL AND claimable = 1;
CREATE INDEX queues_job ON queues (job);
CREATE INDEX queues_open ON queues (lane, per_second) WHERE open > 0;
CREATE INDEX queues_probe ON queues (probe_at) WHERE probe_at IS NOT NULL AND probing = 0;

CREATE TABLE items (
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  key TEXT NOT NULL,
  input TEXT NOT NULL,
  state INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  throttles INTEGER NOT NULL DEFAULT 0,
  due_at REAL,
  suspect INTEGER NOT NULL DEFAULT 0,
  acted INTEGER NOT NULL DEFAULT 0,
  lease INTEGER,
  PRIMARY KEY (queue, seq)
) WITHOUT ROWID;
CREATE INDEX items_due ON items (queue, due_at) WHERE due_at IS NOT NULL;

-- Keys are found by a 53-bit hash; equal hashes are told apart by the text of the item they point at.
CREATE TABLE item_keys (
  job INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (job, hash)
) WITHOUT ROWID;

CREATE TABLE results (
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  ended_at REAL NOT NULL,
  quality TEXT,
  failure TEXT,
  captures TEXT,
  records TEXT,
  history TEXT,
  PRIMARY KEY (queue, seq)
) WITHOUT ROWID;

-- Suspects run alone; deaths are those that happened while nothing else ran.
CREATE TABLE suspects (
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  due_at REAL NOT NULL,
  blamed INTEGER NOT NULL DEFAULT 0,
  unexplained INTEGER NOT NULL DEFAULT 0,
  in_hand INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (queue, seq)
) WITHOUT ROWID;

CREATE TABLE workers (
  name TEXT PRIMARY KEY,
  until REAL NOT NULL,
  alone INTEGER NOT NULL DEFAULT 0,
  jobs TEXT,
  running TEXT NOT NULL DEFAULT '[]',
  pulse_lease INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX workers_until ON workers (until);

CREATE TABLE leases (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  worker TEXT NOT NULL,
  queue INTEGER NOT NULL,
  lo INTEGER NOT NULL,
  hi INTEGER NOT NULL,
  open INTEGER NOT NULL
);
CREATE INDEX leases_worker ON leases (worker);
CREATE INDEX leases_queue ON leases (queue);

CREATE TABLE hands (
  lane INTEGER NOT NULL,
  worker TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (lane, worker)
) WITHOUT ROWID;
CREATE INDEX hands_worker ON hands (worker);

-- Weighted fair order between clients inside a lane: who has had least for its weight comes first. lanes.turn is where the
-- hindmost of those with work stood.
CREATE TABLE turns (
  lane INTEGER NOT NULL,
  client TEXT NOT NULL,
  had REAL NOT NULL,
  PRIMARY KEY (lane, client)
) WITHOUT ROWID;

-- What a scraper's lane is used to, carried from one job to the next.
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
