
DROP TRIGGER results_added;
DROP TRIGGER results_changed;
DROP TRIGGER jobs_added;
DROP TRIGGER jobs_changed;
DROP TRIGGER jobs_specified;
DROP TRIGGER job_failures_added;
DROP TRIGGER job_failures_changed;
DROP TRIGGER job_changes_added;
DROP TRIGGER job_changes_changed;
ALTER TABLE job_failures DROP COLUMN sum;
ALTER TABLE job_changes DROP COLUMN sum;

UPDATE job_sums SET counts = NULL;
CREATE INDEX job_sums_open ON job_sums (job) WHERE counts IS NULL;
CREATE TRIGGER jobs_added AFTER INSERT ON jobs BEGIN
  INSERT OR REPLACE INTO job_sums (job, whole) VALUES (NEW.number, 1);
END;
CREATE TRIGGER jobs_changed AFTER UPDATE ON jobs BEGIN
  INSERT INTO job_sums (job) VALUES (NEW.number) ON CONFLICT (job) DO UPDATE SET counts = NULL WHERE counts IS NOT NULL;
END;
CREATE TRIGGER jobs_specified AFTER UPDATE OF spec ON jobs BEGIN
  UPDATE job_sums SET spec = NULL WHERE job = NEW.number;
END;
CREATE TRIGGER job_failures_added AFTER INSERT ON job_failures BEGIN UPDATE job_sums SET counts = NULL WHERE job = NEW.job AND counts IS NOT NULL; END;
CREATE TRIGGER job_failures_changed AFTER UPDATE ON job_failures BEGIN UPDATE job_sums SET counts = NULL WHERE job = NEW.job AND counts IS NOT NULL; END;
CREATE TRIGGER job_failures_removed AFTER DELETE ON job_failures BEGIN UPDATE job_sums SET counts = NULL WHERE job = OLD.job AND counts IS NOT NULL; END;
CREATE TRIGGER job_changes_added AFTER INSERT ON job_changes BEGIN
  UPDATE job_sums SET counts = NULL WHERE job = (SELECT number FROM jobs WHERE id = NEW.job) AND counts IS NOT NULL;
END;
CREATE TRIGGER job_changes_changed AFTER UPDATE ON job_changes BEGIN
  UPDATE job_sums SET counts = NULL WHERE job = (SELECT number FROM jobs WHERE id = NEW.job) AND counts IS NOT NULL;
END;
CREATE TRIGGER job_changes_removed AFTER DELETE ON job_changes BEGIN
  UPDATE job_sums SET counts = NULL WHERE job = (SELECT number FROM jobs WHERE id = OLD.job) AND counts IS NOT NULL;
END;
