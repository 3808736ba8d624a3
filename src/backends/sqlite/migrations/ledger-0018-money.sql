ALTER TABLE clients ADD COLUMN requests_per_day INTEGER;
ALTER TABLE clients ADD COLUMN bytes_per_day INTEGER;
ALTER TABLE clients ADD COLUMN cost_per_day REAL;
ALTER TABLE lanes ADD COLUMN spent TEXT;
ALTER TABLE shares ADD COLUMN spent TEXT;
ALTER TABLE workers ADD COLUMN unsettled_tiers TEXT;
ALTER TABLE jobs ADD COLUMN costs TEXT;
-- A row that did not fit its checksum does not fit it afterwards.
UPDATE jobs SET sum = iif(sum = row_sum(number, id, client, spec, state, is_sealed, created_at, ended_at, deadline_at, spent_at, paused, revision, reopened_at, key_seed, received,
  accepted, folded, rejected, rejects, capped, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, failures, changes),
  row_sum(number, id, client, spec, state, is_sealed, created_at, ended_at, deadline_at, spent_at, paused, revision, reopened_at, key_seed, received,
  accepted, folded, rejected, rejects, capped, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, failures, changes, costs), -1);
