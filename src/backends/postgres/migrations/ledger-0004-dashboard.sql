-- When attempts of a job failed, by kind: see `src/domain/failure-times.ts`.
CREATE TABLE failure_times (job bigint PRIMARY KEY, width_ms bigint NOT NULL, buckets json) WITH (fillfactor = 50);
-- Requests that were sent, weighted by age: see `src/domain/lane-use.ts`.
ALTER TABLE lanes ADD COLUMN used double precision NOT NULL DEFAULT 0, ADD COLUMN used_at double precision NOT NULL DEFAULT 0;
-- Lanes in which a job has items left; lanes that are held, by whom or by what.
CREATE INDEX queues_backlog ON queues (job, lane) WHERE is_open = 1;
CREATE INDEX queues_held_lane ON queues (lane) WHERE held_at IS NOT NULL AND is_open = 1;
CREATE INDEX lanes_held ON lanes (hold_until) WHERE hold_until > 0;
CREATE INDEX lanes_held_by_operator ON lanes (name) WHERE is_held_by_operator = 1;
