-- When attempts of a job failed, by kind: see `src/domain/failure-times.ts`.
CREATE TABLE failure_times (job INTEGER PRIMARY KEY, width_ms INTEGER NOT NULL, buckets TEXT);
-- Requests that were sent, weighted by age: see `src/domain/lane-use.ts`.
ALTER TABLE lanes ADD COLUMN used REAL NOT NULL DEFAULT 0;
ALTER TABLE lanes ADD COLUMN used_at REAL NOT NULL DEFAULT 0;
-- Lanes in which a job has items left; lanes that are held, by whom or by what.
CREATE INDEX queues_backlog ON queues (job, lane) WHERE open > 0;
CREATE INDEX queues_held_lane ON queues (lane) WHERE held_at IS NOT NULL AND open > 0;
CREATE INDEX lanes_held ON lanes (hold_until) WHERE hold_until > 0;
CREATE INDEX lanes_held_by_operator ON lanes (name) WHERE is_held_by_operator = 1;
