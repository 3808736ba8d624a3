
ALTER TABLE lanes ADD COLUMN ahead TEXT NOT NULL DEFAULT '[]';
ALTER TABLE queues ADD COLUMN own_per_second REAL;
ALTER TABLE queues ADD COLUMN own_concurrency INTEGER;
ALTER TABLE queues ADD COLUMN own_next REAL NOT NULL DEFAULT 0;
CREATE TABLE own_slots (
  queue INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  tat REAL NOT NULL,
  PRIMARY KEY (queue, lane)
) WITHOUT ROWID;
UPDATE queues SET per_second = 2, own_per_second = 1 / 86400.0 WHERE per_second < 1 / 86400.0;
UPDATE lanes SET operator_per_second = 1 / 86400.0 WHERE operator_per_second < 1 / 86400.0;
UPDATE lanes SET tat = 0, interval_ms = 0, spare = '[]' WHERE interval_ms > 86400000 OR tat > (unixepoch() + 86400) * 1000.0;
UPDATE turns SET ready_at = 0 WHERE ready_at > (unixepoch() + 86400) * 1000.0;
ALTER TABLE clients ADD COLUMN items_per_day INTEGER;
ALTER TABLE jobs ADD COLUMN capped_quota INTEGER NOT NULL DEFAULT 0;
