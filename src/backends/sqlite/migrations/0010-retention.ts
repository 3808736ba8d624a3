/**
 * Removed jobs and removed pages. `removals` has one row for each job of which something was removed: while `step` is set it says what
 * comes next, after that the row is what is remembered of the removal (`what` = 'job': the job itself is gone from `jobs`).
 * `kept_objects` are objects of such a job that items of other jobs still point to; `sweeps` names the owners whose kept objects must
 * be looked at again, because something that pointed to them has gone. `asked` tells a sweep that it was asked for again meanwhile.
 * `borrowed` finds the items that point to captures or records of another job, the owner. `service.last_queue` keeps ids of removed queues from
 * being used again.
 */
export const retention = `
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
`;
