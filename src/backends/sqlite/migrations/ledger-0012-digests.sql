
ALTER TABLE results ADD COLUMN sum INTEGER;
ALTER TABLE results ADD COLUMN history_sum INTEGER;
CREATE TRIGGER results_added AFTER INSERT ON results WHEN NEW.sum IS NULL BEGIN
  UPDATE results AS r SET history_sum = iif(r.history IS NULL, NULL, row_sum(r.queue, r.seq, r.history)), sum = (SELECT row_sum(r.queue, r.seq, r.ended_at, r.quality, r.failure, r.captures, r.records, r.skipped, r.change, r.attempt,
    r.revision,
      concat_ws(char(31), i.key, i.input, i.scraper, i.depth, coalesce(i.parent_queue, ''), coalesce(i.parent_seq, ''), max(i.state, 2),
        i.attempts, i.throttles))
    FROM items i WHERE i.queue = r.queue AND i.seq = r.seq) WHERE r.queue = NEW.queue AND r.seq = NEW.seq;
END;
CREATE TRIGGER results_changed AFTER UPDATE ON results WHEN NEW.sum IS NULL OR NEW.sum IS OLD.sum BEGIN
  UPDATE results AS r SET history_sum = iif(r.history IS NULL, NULL, row_sum(r.queue, r.seq, r.history)), sum = (SELECT row_sum(r.queue, r.seq, r.ended_at, r.quality, r.failure, r.captures, r.records, r.skipped, r.change, r.attempt,
    r.revision,
      concat_ws(char(31), i.key, i.input, i.scraper, i.depth, coalesce(i.parent_queue, ''), coalesce(i.parent_seq, ''), max(i.state, 2),
        i.attempts, i.throttles))
    FROM items i WHERE i.queue = r.queue AND i.seq = r.seq) WHERE r.queue = NEW.queue AND r.seq = NEW.seq;
END;

CREATE TABLE job_sums (job INTEGER PRIMARY KEY, whole INTEGER NOT NULL DEFAULT 0, counts INTEGER, spec INTEGER);
CREATE TRIGGER jobs_added AFTER INSERT ON jobs BEGIN
  INSERT OR REPLACE INTO job_sums (job, whole, counts, spec) VALUES (NEW.number, 1,
    row_sum(NEW.number, NEW.id, NEW.client, NEW.state, NEW.sealed, NEW.created_at, NEW.ended_at, NEW.received, NEW.accepted, NEW.folded, NEW.rejected,
      NEW.capped, NEW.too_deep, NEW.capped_chain, NEW.capped_budget, NEW.waiting, NEW.done, NEW.absent, NEW.failed, NEW.skipped, NEW.cancelled,
      NEW.partial, NEW.requests, NEW.bytes, NEW.field_counts, NEW.rejects, NEW.leased, NEW.scraper, NEW.deadline_at, NEW.spent_at, NEW.paused,
      NEW.key_seed, NEW.revision, NEW.reopened_at),
    row_sum(NEW.number, NEW.spec));
END;
CREATE TRIGGER jobs_changed AFTER UPDATE OF
    state, sealed, ended_at, received, accepted, folded, rejected, capped, too_deep, capped_chain, capped_budget, waiting, done, absent, failed,
    skipped, cancelled, partial, requests, bytes, field_counts, rejects, leased, spent_at, paused, revision, reopened_at, deadline_at ON jobs BEGIN
  INSERT INTO job_sums (job, counts) VALUES (NEW.number,
    row_sum(NEW.number, NEW.id, NEW.client, NEW.state, NEW.sealed, NEW.created_at, NEW.ended_at, NEW.received, NEW.accepted, NEW.folded, NEW.rejected,
      NEW.capped, NEW.too_deep, NEW.capped_chain, NEW.capped_budget, NEW.waiting, NEW.done, NEW.absent, NEW.failed, NEW.skipped, NEW.cancelled,
      NEW.partial, NEW.requests, NEW.bytes, NEW.field_counts, NEW.rejects, NEW.leased, NEW.scraper, NEW.deadline_at, NEW.spent_at, NEW.paused,
      NEW.key_seed, NEW.revision, NEW.reopened_at))
    ON CONFLICT (job) DO UPDATE SET counts = excluded.counts;
END;
CREATE TRIGGER jobs_specified AFTER UPDATE OF spec ON jobs BEGIN
  INSERT INTO job_sums (job, spec) VALUES (NEW.number, row_sum(NEW.number, NEW.spec)) ON CONFLICT (job) DO UPDATE SET spec = excluded.spec;
END;
CREATE TRIGGER jobs_removed AFTER DELETE ON jobs BEGIN DELETE FROM job_sums WHERE job = OLD.number; END;

ALTER TABLE job_failures ADD COLUMN sum INTEGER;
CREATE TRIGGER job_failures_added AFTER INSERT ON job_failures BEGIN
  UPDATE job_failures SET sum = row_sum(job, kind, final, attempts, example_key, example_detail) WHERE job = NEW.job AND kind = NEW.kind;
END;
CREATE TRIGGER job_failures_changed AFTER UPDATE OF final, attempts, example_key, example_detail ON job_failures BEGIN
  UPDATE job_failures SET sum = row_sum(job, kind, final, attempts, example_key, example_detail) WHERE job = NEW.job AND kind = NEW.kind;
END;

ALTER TABLE job_changes ADD COLUMN sum INTEGER;
CREATE TRIGGER job_changes_added AFTER INSERT ON job_changes BEGIN
  UPDATE job_changes SET sum = row_sum(job, change, count) WHERE job = NEW.job AND change = NEW.change;
END;
CREATE TRIGGER job_changes_changed AFTER UPDATE OF count ON job_changes BEGIN
  UPDATE job_changes SET sum = row_sum(job, change, count) WHERE job = NEW.job AND change = NEW.change;
END;
