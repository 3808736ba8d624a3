
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
INSERT INTO borrowed SELECT skipped ->> '$.from.job', queue, seq FROM results WHERE skipped ->> '$.from.job' IS NOT NULL;
INSERT OR IGNORE INTO borrowed
  SELECT substr(c.value ->> 'blob', 6, instr(substr(c.value ->> 'blob', 6), '/') - 1), r.queue, r.seq
  FROM results r CROSS JOIN json_each(r.captures) c WHERE r.skipped IS NOT NULL AND r.captures IS NOT NULL;
ALTER TABLE service ADD COLUMN last_queue INTEGER NOT NULL DEFAULT 0;

-- Of the last attempt, as JSON: [started at, ms, requests, bytes, worker, why it is absent].
ALTER TABLE results ADD COLUMN attempt TEXT;
