
CREATE TABLE fresh (
  key TEXT NOT NULL,
  scraper TEXT NOT NULL,
  owner TEXT NOT NULL,
  failed INTEGER NOT NULL,
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
  PRIMARY KEY (key, scraper, owner, failed)
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

CREATE TABLE followers (
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  leader_queue INTEGER NOT NULL,
  leader_seq INTEGER NOT NULL,
  free INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (queue, seq)
) WITHOUT ROWID;
CREATE INDEX followers_leader ON followers (leader_queue, leader_seq);

CREATE TABLE job_changes (
  job TEXT NOT NULL,
  change TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (job, change)
) WITHOUT ROWID;
ALTER TABLE results ADD COLUMN change TEXT;
