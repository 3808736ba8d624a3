-- Rows that change often leave room on their page, and no index has a column that changes with every claim, settle or pulse: such updates stay on
-- the page (HOT) and leave nothing to vacuum.

-- Writers of a part come one after the other: whoever updates its row. `at` is the ledger's clock at that moment, `before` at the one before; `value`
-- counts them.
CREATE TABLE locks (
  name text COLLATE "C" PRIMARY KEY, at double precision NOT NULL DEFAULT 0, before double precision NOT NULL DEFAULT 0, value bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
INSERT INTO locks (name) VALUES ('ledger'), ('events'), ('cursors'), ('registry');

CREATE TABLE service (
  id bigint PRIMARY KEY, latest_at double precision NOT NULL, boot text NOT NULL, ahead_ms double precision NOT NULL,
  last_queue bigint NOT NULL, last_lane bigint NOT NULL, last_job bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO service VALUES (1, 0, '', 0, 0, 0, 0);

CREATE TABLE clients (
  name text COLLATE "C" PRIMARY KEY, weight double precision NOT NULL, max_running bigint, items_per_day bigint, requests_per_day bigint,
  bytes_per_day bigint, cost_per_day double precision
);

CREATE TABLE lanes (
  id bigint PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE, tat double precision NOT NULL, interval_ms double precision NOT NULL,
  spare json, ahead json, speed json, hold_until double precision NOT NULL, hold_reason text, crawl_delay_ms double precision,
  crawl_until double precision NOT NULL, operator_per_second double precision, is_held_by_operator smallint NOT NULL, fresh_run bigint NOT NULL,
  floor double precision NOT NULL, ways json, tiers json, spent json
) WITH (fillfactor = 50);
INSERT INTO lanes (id, name, tat, interval_ms, hold_until, crawl_until, is_held_by_operator, fresh_run, floor) VALUES (0, '', 0, 0, 0, 0, 0, 0, 0);

CREATE TABLE shares (
  lane bigint NOT NULL, client text COLLATE "C" NOT NULL, had double precision, ready_at double precision, accepted json, spent json,
  ready_s double precision GENERATED ALWAYS AS (floor(ready_at / 1000)) STORED, PRIMARY KEY (lane, client)
) WITH (fillfactor = 50);
CREATE INDEX shares_ready ON shares (client, ready_s, lane) WHERE ready_s IS NOT NULL;

CREATE TABLE queues (
  id bigint PRIMARY KEY, job bigint NOT NULL, lane bigint NOT NULL, client text COLLATE "C" NOT NULL,
  per_second double precision, burst bigint NOT NULL, concurrency bigint NOT NULL,
  own_per_second double precision, own_concurrency bigint, own_next_at double precision NOT NULL, own_slots json,
  tail bigint NOT NULL, cursor bigint NOT NULL, open bigint NOT NULL, leased bigint NOT NULL, waiting bigint NOT NULL,
  is_claimable smallint NOT NULL, has_fresh smallint NOT NULL, due_at double precision, priority bigint NOT NULL, served_at double precision NOT NULL,
  freshness json, kinds bigint NOT NULL, breaker json, is_doubtful smallint NOT NULL,
  held json, held_at double precision, probe_at double precision, is_probing smallint NOT NULL, trips bigint NOT NULL,
  is_open smallint GENERATED ALWAYS AS (CASE WHEN open > 0 THEN 1 ELSE 0 END) STORED,
  has_work smallint GENERATED ALWAYS AS (CASE WHEN is_claimable = 1 AND (has_fresh = 1 OR due_at IS NOT NULL) THEN 1 ELSE 0 END) STORED,
  UNIQUE (job, lane)
) WITH (fillfactor = 50);
CREATE INDEX queues_open ON queues (lane) WHERE is_open = 1;
CREATE INDEX queues_work ON queues (lane, client, priority DESC) WHERE has_work = 1;
CREATE INDEX queues_probe ON queues (probe_at) WHERE probe_at IS NOT NULL AND is_probing = 0;
CREATE INDEX queues_held ON queues (job) WHERE held_at IS NOT NULL;

CREATE TABLE jobs (
  number bigint PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, client text COLLATE "C" NOT NULL, spec json NOT NULL, state text COLLATE "C" NOT NULL,
  is_sealed smallint NOT NULL, created_at double precision NOT NULL, ended_at double precision, deadline_at double precision, spent_at double precision,
  paused json, revision bigint NOT NULL, reopened_at double precision, key_seed bigint,
  received bigint NOT NULL, accepted bigint NOT NULL, folded bigint NOT NULL, rejected bigint NOT NULL, rejects json, capped json NOT NULL,
  done bigint NOT NULL, absent bigint NOT NULL, failed bigint NOT NULL, skipped bigint NOT NULL, cancelled bigint NOT NULL,
  partial bigint NOT NULL, requests bigint NOT NULL, bytes bigint NOT NULL, field_counts json, failures json, changes json, costs json, sum bigint
) WITH (fillfactor = 50);
CREATE INDEX jobs_client ON jobs (client, number);
CREATE INDEX jobs_state ON jobs (state, number);
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX jobs_deadline ON jobs (deadline_at) WHERE deadline_at IS NOT NULL AND ended_at IS NULL;
CREATE TABLE job_labels (name text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL, job bigint NOT NULL, PRIMARY KEY (name, value, job));

-- Few rows, and every pulse changes `until`: no index but the key.
CREATE TABLE workers (
  name text COLLATE "C" PRIMARY KEY, until double precision, is_alone smallint NOT NULL, jobs json, card json, registered_at double precision NOT NULL,
  leases json, next_lease bigint NOT NULL, running json, pulse_lease bigint NOT NULL, unsettled json, unsettled_tiers json, in_flight json,
  running_in json, running_by json, stops json, last_claim json, last_pulse json
) WITH (fillfactor = 50);

CREATE TABLE items (
  queue bigint NOT NULL, seq bigint NOT NULL, key text COLLATE "C" NOT NULL, input text COLLATE "C" NOT NULL, scraper bigint NOT NULL,
  depth bigint NOT NULL, chain bigint NOT NULL, parent_queue bigint, parent_seq bigint, sum bigint, PRIMARY KEY (queue, seq)
);
CREATE TABLE capped (
  queue bigint NOT NULL, seq bigint NOT NULL, key text COLLATE "C" NOT NULL, input text COLLATE "C" NOT NULL, scraper bigint NOT NULL,
  depth bigint NOT NULL, chain bigint NOT NULL, parent_queue bigint, parent_seq bigint, cap text COLLATE "C" NOT NULL, PRIMARY KEY (queue, seq)
);
CREATE TABLE item_keys (job bigint NOT NULL, hash bigint NOT NULL, queue bigint NOT NULL, seq bigint NOT NULL, PRIMARY KEY (job, hash));

CREATE TABLE retries (
  queue bigint NOT NULL, seq bigint NOT NULL, state text COLLATE "C" NOT NULL, due_at double precision, attempts bigint NOT NULL, throttles bigint NOT NULL,
  has_acted smallint NOT NULL, blamed bigint NOT NULL, unexplained bigint NOT NULL, leader_queue bigint, leader_seq bigint,
  is_free smallint NOT NULL, last json, history json, sum bigint, PRIMARY KEY (queue, seq)
);
CREATE INDEX retries_due ON retries (queue, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX retries_leader ON retries (leader_queue, leader_seq) WHERE leader_queue IS NOT NULL;
CREATE INDEX retries_state ON retries (queue, state, seq, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX retries_suspect ON retries (due_at) WHERE due_at IS NOT NULL AND state = 'suspect';

CREATE TABLE results (
  queue bigint NOT NULL, seq bigint NOT NULL, state smallint NOT NULL, attempts bigint NOT NULL, ended_at double precision NOT NULL,
  quality text COLLATE "C", skipped json, change text COLLATE "C", failure json, captures json, records json, attempt json, revision bigint NOT NULL,
  sum bigint, PRIMARY KEY (queue, seq)
);
CREATE INDEX results_state ON results (queue, state, seq) WHERE state > 3;

CREATE TABLE fresh (
  key text COLLATE "C" NOT NULL, scraper text COLLATE "C" NOT NULL, owner text COLLATE "C" NOT NULL, is_failure smallint NOT NULL,
  version text COLLATE "C" NOT NULL, job text COLLATE "C" NOT NULL, queue bigint NOT NULL, seq bigint NOT NULL, fetched_at double precision NOT NULL,
  fresh_until double precision NOT NULL, outcome text COLLATE "C" NOT NULL, etag text, last_modified text, url text, digest text,
  PRIMARY KEY (key, scraper, owner, is_failure)
);
CREATE TABLE fetches (
  queue bigint NOT NULL, seq bigint NOT NULL, job text COLLATE "C" NOT NULL, client text COLLATE "C" NOT NULL, scraper text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, PRIMARY KEY (queue, seq)
);
CREATE INDEX fetches_key ON fetches (key, scraper);
CREATE TABLE baselines (scraper text COLLATE "C" NOT NULL, lane bigint NOT NULL, breaker json NOT NULL, PRIMARY KEY (scraper, lane));
CREATE TABLE borrowed (owner text COLLATE "C" NOT NULL, queue bigint NOT NULL, seq bigint NOT NULL, PRIMARY KEY (owner, queue, seq));
CREATE INDEX borrowed_by ON borrowed (queue, seq);
CREATE TABLE robots (
  origin text COLLATE "C" PRIMARY KEY, text text, until double precision NOT NULL DEFAULT 0, fetcher text COLLATE "C",
  fetch_until double precision NOT NULL DEFAULT 0
);
CREATE TABLE answers (id text COLLATE "C" PRIMARY KEY, at double precision NOT NULL, reply json);
CREATE INDEX answers_at ON answers (at);

-- Ids rise in the order of commits: whoever writes events holds the row `events` of `locks` until then.
CREATE TABLE events (id bigint PRIMARY KEY, at double precision NOT NULL, type text COLLATE "C" NOT NULL, job text COLLATE "C" NOT NULL, facts json NOT NULL);
CREATE INDEX events_job ON events (job, id);
CREATE TABLE cursors (consumer text COLLATE "C" PRIMARY KEY, at bigint NOT NULL, moved_at double precision NOT NULL);
CREATE TABLE work_sums (name text COLLATE "C" PRIMARY KEY, value double precision NOT NULL) WITH (fillfactor = 50);

CREATE TABLE removals (
  number bigint PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, client text COLLATE "C" NOT NULL, scraper text COLLATE "C" NOT NULL,
  what text COLLATE "C" NOT NULL, created_at double precision NOT NULL, ended_at double precision NOT NULL, marked_at double precision NOT NULL,
  step text COLLATE "C", queue bigint NOT NULL DEFAULT 0, seq bigint NOT NULL DEFAULT 0, counted_to text COLLATE "C" NOT NULL DEFAULT '',
  items bigint NOT NULL DEFAULT 0, captures bigint NOT NULL DEFAULT 0, bytes bigint NOT NULL DEFAULT 0
);
CREATE INDEX removals_open ON removals (marked_at) WHERE step IS NOT NULL;
CREATE TABLE kept_objects (
  owner text COLLATE "C" NOT NULL, object text COLLATE "C" NOT NULL, size bigint NOT NULL DEFAULT 0, PRIMARY KEY (owner, object)
);
CREATE TABLE sweeps (owner text COLLATE "C" PRIMARY KEY, asked bigint NOT NULL, due_at double precision NOT NULL);
