CREATE TABLE schema_migrations (part TEXT, version INTEGER, fingerprint TEXT, PRIMARY KEY (part, version)) WITHOUT ROWID;
CREATE TABLE clients (name TEXT PRIMARY KEY, weight REAL NOT NULL DEFAULT 1, max_running INTEGER, had REAL, items_per_day INTEGER) WITHOUT ROWID;
CREATE TABLE jobs (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  client TEXT NOT NULL,
  spec TEXT NOT NULL,
  state TEXT NOT NULL,
  sealed INTEGER NOT NULL DEFAULT 0,
  created_at REAL NOT NULL,
  ended_at REAL,
  received INTEGER NOT NULL DEFAULT 0,
  accepted INTEGER NOT NULL DEFAULT 0,
  folded INTEGER NOT NULL DEFAULT 0,
  rejected INTEGER NOT NULL DEFAULT 0,
  capped INTEGER NOT NULL DEFAULT 0,
  waiting INTEGER NOT NULL DEFAULT 0,
  done INTEGER NOT NULL DEFAULT 0,
  absent INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0,
  partial INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  field_counts TEXT NOT NULL DEFAULT '[]',
  rejects TEXT NOT NULL DEFAULT '[]'
, too_deep INTEGER NOT NULL DEFAULT 0, leased INTEGER NOT NULL DEFAULT 0, scraper TEXT NOT NULL DEFAULT '', deadline_at REAL, spent_at REAL, paused TEXT, key_seed INTEGER, capped_chain INTEGER NOT NULL DEFAULT 0, capped_budget INTEGER NOT NULL DEFAULT 0, revision INTEGER NOT NULL DEFAULT 0, reopened_at REAL, capped_quota INTEGER NOT NULL DEFAULT 0);
CREATE TABLE job_failures (
  job INTEGER NOT NULL,
  kind TEXT NOT NULL,
  final INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  example_key TEXT,
  example_detail TEXT, sum INTEGER,
  PRIMARY KEY (job, kind)
) WITHOUT ROWID;
CREATE TABLE lanes (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  tat REAL NOT NULL DEFAULT 0,
  interval_ms REAL NOT NULL DEFAULT 0,
  spare TEXT NOT NULL DEFAULT '[]',
  speed TEXT,
  hold_until REAL NOT NULL DEFAULT 0,
  hold_reason TEXT,
  crawl_delay_ms REAL,
  crawl_until REAL NOT NULL DEFAULT 0,
  fresh_run INTEGER NOT NULL DEFAULT 0,
  turn REAL NOT NULL DEFAULT 0,
  operator_per_second REAL, operator_held INTEGER NOT NULL DEFAULT 0, ahead TEXT NOT NULL DEFAULT '[]');
CREATE TABLE queues (
  id INTEGER PRIMARY KEY,
  job INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  client TEXT NOT NULL,
  per_second REAL,
  burst INTEGER NOT NULL,
  concurrency INTEGER NOT NULL,
  tail INTEGER NOT NULL DEFAULT 0,
  cursor INTEGER NOT NULL DEFAULT 0,
  open INTEGER NOT NULL DEFAULT 0,
  claimable INTEGER NOT NULL DEFAULT 1,
  ready_at REAL,
  breaker TEXT,
  doubtful INTEGER NOT NULL DEFAULT 0,
  held TEXT,
  held_at REAL,
  probe_at REAL,
  probing INTEGER NOT NULL DEFAULT 0,
  trips INTEGER NOT NULL DEFAULT 0, priority INTEGER NOT NULL DEFAULT 0, served_at REAL NOT NULL DEFAULT 0, freshness TEXT, kinds INTEGER NOT NULL DEFAULT 1, own_per_second REAL, own_concurrency INTEGER, own_next REAL NOT NULL DEFAULT 0,
  UNIQUE (job, lane)
);
CREATE TABLE items (
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  key TEXT NOT NULL,
  input TEXT NOT NULL,
  state INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  throttles INTEGER NOT NULL DEFAULT 0,
  due_at REAL,
  suspect INTEGER NOT NULL DEFAULT 0,
  acted INTEGER NOT NULL DEFAULT 0,
  lease INTEGER, scraper INTEGER NOT NULL DEFAULT 0, depth INTEGER NOT NULL DEFAULT 0, parent_queue INTEGER, parent_seq INTEGER, chain INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (queue, seq)
) WITHOUT ROWID;
CREATE TABLE item_keys (
  job INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (job, hash)
) WITHOUT ROWID;
CREATE TABLE results (
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  ended_at REAL NOT NULL,
  quality TEXT,
  failure TEXT,
  captures TEXT,
  records TEXT,
  history TEXT, skipped TEXT, change TEXT, attempt TEXT, revision INTEGER NOT NULL DEFAULT 0, sum INTEGER, history_sum INTEGER,
  PRIMARY KEY (queue, seq)
) WITHOUT ROWID;
CREATE TABLE suspects (
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  due_at REAL NOT NULL,
  blamed INTEGER NOT NULL DEFAULT 0,
  unexplained INTEGER NOT NULL DEFAULT 0,
  in_hand INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (queue, seq)
) WITHOUT ROWID;
CREATE TABLE workers (
  name TEXT PRIMARY KEY,
  until REAL NOT NULL,
  alone INTEGER NOT NULL DEFAULT 0,
  jobs TEXT,
  running TEXT NOT NULL DEFAULT '[]',
  pulse_lease INTEGER NOT NULL DEFAULT 0
, unsettled TEXT NOT NULL DEFAULT '[]') WITHOUT ROWID;
CREATE TABLE leases (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  worker TEXT NOT NULL,
  queue INTEGER NOT NULL,
  lo INTEGER NOT NULL,
  hi INTEGER NOT NULL,
  open INTEGER NOT NULL
);
CREATE TABLE hands (
  lane INTEGER NOT NULL,
  worker TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (lane, worker)
) WITHOUT ROWID;
CREATE TABLE baselines (
  scraper TEXT NOT NULL,
  lane INTEGER NOT NULL,
  breaker TEXT NOT NULL,
  PRIMARY KEY (scraper, lane)
) WITHOUT ROWID;
CREATE TABLE robots (
  origin TEXT PRIMARY KEY,
  text TEXT,
  until REAL NOT NULL DEFAULT 0,
  fetcher TEXT,
  fetch_until REAL NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at REAL NOT NULL,
  type TEXT NOT NULL,
  job TEXT NOT NULL,
  facts TEXT NOT NULL
);
CREATE TABLE service (id INTEGER PRIMARY KEY CHECK (id = 1), turn REAL NOT NULL, latest_at REAL NOT NULL DEFAULT 0, boot TEXT NOT NULL DEFAULT '', ahead_ms REAL NOT NULL DEFAULT 0, last_queue INTEGER NOT NULL DEFAULT 0);
CREATE TABLE job_labels (
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  job INTEGER NOT NULL,
  PRIMARY KEY (name, value, job)
) WITHOUT ROWID;
CREATE TABLE accepted (
  client TEXT NOT NULL,
  minute INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (client, minute)
) WITHOUT ROWID;
CREATE TABLE turns (
  lane INTEGER NOT NULL,
  client TEXT NOT NULL,
  had REAL,
  ready_at REAL,
  PRIMARY KEY (lane, client)
) WITHOUT ROWID;
CREATE TABLE client_hands (
  client TEXT NOT NULL,
  worker TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (client, worker)
) WITHOUT ROWID;
CREATE TABLE worker_cards (
  name TEXT PRIMARY KEY,
  card TEXT NOT NULL,
  draining INTEGER NOT NULL,
  lanes TEXT,
  registered_at REAL NOT NULL
, kinds INTEGER) WITHOUT ROWID;
CREATE TABLE stops (
  job INTEGER NOT NULL,
  queue INTEGER NOT NULL,
  worker TEXT NOT NULL,
  told INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (job, queue, worker)
) WITHOUT ROWID;
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
CREATE TABLE followers (
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  leader_queue INTEGER NOT NULL,
  leader_seq INTEGER NOT NULL,
  free INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (queue, seq)
) WITHOUT ROWID;
CREATE TABLE job_changes (
  job TEXT NOT NULL,
  change TEXT NOT NULL,
  count INTEGER NOT NULL, sum INTEGER,
  PRIMARY KEY (job, change)
) WITHOUT ROWID;
CREATE TABLE work_sums (name TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE capped (
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  key TEXT NOT NULL,
  input TEXT NOT NULL,
  scraper INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  chain INTEGER NOT NULL,
  parent_queue INTEGER,
  parent_seq INTEGER,
  cap TEXT NOT NULL,
  PRIMARY KEY (queue, seq)
) WITHOUT ROWID;
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
CREATE TABLE kept_objects (
  owner TEXT NOT NULL,
  object TEXT NOT NULL,
  size INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, object)
) WITHOUT ROWID;
CREATE TABLE sweeps (owner TEXT PRIMARY KEY, asked INTEGER NOT NULL, due_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE borrowed (owner TEXT NOT NULL, queue INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (owner, queue, seq)) WITHOUT ROWID;
CREATE TABLE job_sums (job INTEGER PRIMARY KEY, whole INTEGER NOT NULL DEFAULT 0, counts INTEGER, spec INTEGER);
CREATE TABLE own_slots (
  queue INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  tat REAL NOT NULL,
  PRIMARY KEY (queue, lane)
) WITHOUT ROWID;
INSERT INTO schema_migrations (part, version, fingerprint) VALUES ('ledger', 1, 'ea3122ae4038fc2e');
INSERT INTO schema_migrations (part, version, fingerprint) VALUES ('ledger', 2, '41ff35eb6b0e1815');
INSERT INTO schema_migrations (part, version, fingerprint) VALUES ('ledger', 3, '44d154dafe34ae1f');
INSERT INTO schema_migrations (part, version, fingerprint) VALUES ('ledger', 4, 'de638ee9cbeca41f');
INSERT INTO schema_migrations (part, version, fingerprint) VALUES ('ledger', 5, '1b3f92065b164a12');
INSERT INTO schema_migrations (part, version, fingerprint) VALUES ('ledger', 6, 'f973fa708dd2537d');
INSERT INTO schema_migrations (part, version, fingerprint) VALUES ('ledger', 7, '1f1864e7f9b013ff');
INSERT INTO schema_migrations (part, version, fingerprint) VALUES ('ledger', 8, 'f82dceceb5253392');
INSERT INTO schema_migrations (part, version, fingerprint) VALUES ('ledger', 9, 'c9be3c80ce4e290e');
INSERT INTO schema_migrations (part, version, fingerprint) VALUES ('ledger', 10, '705d411fdba9518d');
INSERT INTO schema_migrations (part, version, fingerprint) VALUES ('ledger', 11, '22899579ab8bb57d');
INSERT INTO schema_migrations (part, version, fingerprint) VALUES ('ledger', 12, '389b05803fe1de37');
INSERT INTO schema_migrations (part, version, fingerprint) VALUES ('ledger', 13, '1f7f8d4642b2e246');
INSERT INTO clients (name, weight, max_running, had, items_per_day) VALUES ('other', 1, NULL, 35.5, NULL);
INSERT INTO clients (name, weight, max_running, had, items_per_day) VALUES ('team', 2, 500, 40.5, 100000);
INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, ended_at, received, accepted, folded, rejected, capped, waiting, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, rejects, too_deep, leased, scraper, deadline_at, spent_at, paused, key_seed, capped_chain, capped_budget, revision, reopened_at, capped_quota) VALUES (1, 'done', 'team', '{"id":"done","client":"team","scraper":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"scrapers":[{"name":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"extracts":true,"fields":["owner"],"required":[]}],"extracts":true,"fields":["owner"],"required":[],"maxItems":null,"maxDepth":10,"labels":{"town":"a","kind":"b"}}', 'done', 1, 1750000000000, 1750000000000, 3, 3, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1, 3, 300, '[1,0,1,0]', '[]', 0, 0, 'county', NULL, NULL, NULL, 3559001012897973, 0, 0, 0, NULL, 0);
INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, ended_at, received, accepted, folded, rejected, capped, waiting, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, rejects, too_deep, leased, scraper, deadline_at, spent_at, paused, key_seed, capped_chain, capped_budget, revision, reopened_at, capped_quota) VALUES (2, 'mixed', 'team', '{"id":"mixed","client":"team","scraper":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"scrapers":[{"name":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"extracts":true,"fields":[],"required":[]}],"extracts":true,"fields":[],"required":[],"maxItems":null,"maxDepth":10,"rejected":[{"line":1,"problem":"no key"}]}', 'loading', 0, 1750000000000, NULL, 31, 30, 0, 1, 0, 3, 2, 1, 2, 0, 0, 0, 10, 1000, '[]', '[{"line":1,"problem":"no key"}]', 0, 13, 'county', NULL, NULL, NULL, 1174292555774536, 0, 0, 0, NULL, 0);
INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, ended_at, received, accepted, folded, rejected, capped, waiting, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, rejects, too_deep, leased, scraper, deadline_at, spent_at, paused, key_seed, capped_chain, capped_budget, revision, reopened_at, capped_quota) VALUES (3, 'cancelled', 'other', '{"id":"cancelled","client":"other","scraper":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"scrapers":[{"name":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"extracts":true,"fields":[],"required":[]}],"extracts":true,"fields":[],"required":[],"maxItems":null,"maxDepth":10}', 'cancelled', 1, 1750000001000, NULL, 10, 10, 0, 0, 0, 0, 2, 0, 0, 0, 6, 0, 4, 400, '[]', '[]', 0, 2, 'county', NULL, NULL, '{"cause":"asked","reason":"too many","at":1750000001000}', 7060537664454807, 0, 0, 0, NULL, 0);
INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, ended_at, received, accepted, folded, rejected, capped, waiting, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, rejects, too_deep, leased, scraper, deadline_at, spent_at, paused, key_seed, capped_chain, capped_budget, revision, reopened_at, capped_quota) VALUES (4, 'spent', 'team', '{"id":"spent","client":"team","scraper":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"scrapers":[{"name":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"extracts":true,"fields":[],"required":[]}],"extracts":true,"fields":[],"required":[],"maxItems":null,"maxDepth":10,"budget":{"requests":4}}', 'running', 1, 1750000001000, NULL, 12, 12, 0, 0, 0, 0, 3, 0, 7, 0, 0, 0, 4, 400, '[]', '[]', 0, 2, 'county', NULL, 1750000001000, NULL, 8985213089058410, 0, 0, 0, NULL, 0);
INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, ended_at, received, accepted, folded, rejected, capped, waiting, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, rejects, too_deep, leased, scraper, deadline_at, spent_at, paused, key_seed, capped_chain, capped_budget, revision, reopened_at, capped_quota) VALUES (5, 'paused', 'team', '{"id":"paused","client":"team","scraper":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"scrapers":[{"name":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"extracts":true,"fields":[],"required":[]}],"extracts":true,"fields":[],"required":[],"maxItems":null,"maxDepth":10}', 'paused', 0, 1750000001000, NULL, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '[]', '[]', 0, 1, 'county', NULL, NULL, '{"cause":"asked","reason":"asked for","at":1750000001000}', 4658103748604877, 0, 0, 0, NULL, 0);
INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, ended_at, received, accepted, folded, rejected, capped, waiting, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, rejects, too_deep, leased, scraper, deadline_at, spent_at, paused, key_seed, capped_chain, capped_budget, revision, reopened_at, capped_quota) VALUES (6, 'held', 'team', '{"id":"held","client":"team","scraper":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":50,"burst":40,"concurrency":40},"policy":{},"scrapers":[{"name":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":50,"burst":40,"concurrency":40},"policy":{},"extracts":true,"fields":[],"required":[]}],"extracts":true,"fields":[],"required":[],"maxItems":null,"maxDepth":10}', 'loading', 0, 1750000001000, NULL, 40, 40, 0, 0, 0, 0, 0, 0, 12, 0, 0, 0, 12, 1200, '[]', '[]', 0, 18, 'county', NULL, NULL, NULL, 2801238147932411, 0, 0, 0, NULL, 0);
INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, ended_at, received, accepted, folded, rejected, capped, waiting, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, rejects, too_deep, leased, scraper, deadline_at, spent_at, paused, key_seed, capped_chain, capped_budget, revision, reopened_at, capped_quota) VALUES (7, 'capped', 'team', '{"id":"capped","client":"team","scraper":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"scrapers":[{"name":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"extracts":true,"fields":[],"required":[]}],"extracts":true,"fields":[],"required":[],"maxItems":3,"maxDepth":1}', 'loading', 0, 1750000001000, NULL, 7, 3, 1, 0, 3, 0, 1, 0, 0, 0, 0, 0, 1, 100, '[]', '[]', 0, 0, 'county', NULL, NULL, NULL, 251930974446202, 0, 0, 0, NULL, 0);
INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, ended_at, received, accepted, folded, rejected, capped, waiting, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, rejects, too_deep, leased, scraper, deadline_at, spent_at, paused, key_seed, capped_chain, capped_budget, revision, reopened_at, capped_quota) VALUES (8, 'deep', 'team', '{"id":"deep","client":"team","scraper":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"scrapers":[{"name":"county","source":"f","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"extracts":true,"fields":[],"required":[]},{"name":"town","source":"g","version":"v2","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"extracts":true,"fields":[],"required":[]}],"extracts":true,"fields":[],"required":[],"maxItems":null,"maxDepth":0}', 'loading', 0, 1750000001000, NULL, 3, 2, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 100, '[]', '[]', 1, 0, 'county', NULL, NULL, NULL, 614967393309551, 0, 0, 0, NULL, 0);
INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, ended_at, received, accepted, folded, rejected, capped, waiting, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, rejects, too_deep, leased, scraper, deadline_at, spent_at, paused, key_seed, capped_chain, capped_budget, revision, reopened_at, capped_quota) VALUES (9, 'fresh1', 'team', '{"id":"fresh1","client":"team","scraper":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"scrapers":[{"name":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"extracts":true,"fields":[],"required":[]}],"extracts":true,"fields":[],"required":[],"maxItems":null,"maxDepth":10,"freshness":{"maxAgeMs":60000}}', 'running', 1, 1750000001000, NULL, 2, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 100, '[]', '[]', 0, 1, 'county', NULL, NULL, NULL, 2262330959312820, 0, 0, 0, NULL, 0);
INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, ended_at, received, accepted, folded, rejected, capped, waiting, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, rejects, too_deep, leased, scraper, deadline_at, spent_at, paused, key_seed, capped_chain, capped_budget, revision, reopened_at, capped_quota) VALUES (10, 'fresh2', 'other', '{"id":"fresh2","client":"other","scraper":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"scrapers":[{"name":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"extracts":true,"fields":[],"required":[]}],"extracts":true,"fields":[],"required":[],"maxItems":null,"maxDepth":10,"freshness":{"maxAgeMs":60000,"sharedMaxAgeMs":60000}}', 'loading', 0, 1750000001000, NULL, 3, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, '[]', '[]', 0, 1, 'county', NULL, NULL, NULL, 1560289318755896, 0, 0, 0, NULL, 0);
INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, ended_at, received, accepted, folded, rejected, capped, waiting, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, rejects, too_deep, leased, scraper, deadline_at, spent_at, paused, key_seed, capped_chain, capped_budget, revision, reopened_at, capped_quota) VALUES (11, 'own', 'team', '{"id":"own","client":"team","scraper":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":2,"burst":1,"concurrency":1},"policy":{},"scrapers":[{"name":"county","source":"f","version":"v1","pace":{"perSecond":2,"burst":1,"concurrency":1},"sitePace":{"perSecond":10,"burst":1,"concurrency":10},"policy":{},"extracts":true,"fields":[],"required":[]}],"extracts":true,"fields":[],"required":[],"maxItems":null,"maxDepth":10}', 'loading', 0, 1750000001000, NULL, 5, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '[]', '[]', 0, 1, 'county', NULL, NULL, NULL, 128784703967735, 0, 0, 0, NULL, 0);
INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, ended_at, received, accepted, folded, rejected, capped, waiting, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, rejects, too_deep, leased, scraper, deadline_at, spent_at, paused, key_seed, capped_chain, capped_budget, revision, reopened_at, capped_quota) VALUES (13, 'bare', 'team', '{"id":"bare","client":"team","scraper":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"scrapers":[{"name":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"extracts":true,"fields":[],"required":[]}],"extracts":true,"fields":[],"required":[],"maxItems":null,"maxDepth":10}', 'done', 1, 1750000001000, 1750000001000, 2, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 2, 200, '[]', '[]', 0, 0, 'county', NULL, NULL, NULL, 939087835414495, 0, 0, 0, NULL, 0);
INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, ended_at, received, accepted, folded, rejected, capped, waiting, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, rejects, too_deep, leased, scraper, deadline_at, spent_at, paused, key_seed, capped_chain, capped_budget, revision, reopened_at, capped_quota) VALUES (14, 'damaged', 'team', '{"id":"damaged","client":"team","scraper":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"scrapers":[{"name":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"extracts":true,"fields":[],"required":[]}],"extracts":true,"fields":[],"required":[],"maxItems":null,"maxDepth":10}', 'done', 1, 1750000001000, 1750000001000, 3, 3, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 3, 300, '[]', '[]', 0, 0, 'county', NULL, NULL, NULL, 7127552645572319, 0, 0, 0, NULL, 0);
INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, ended_at, received, accepted, folded, rejected, capped, waiting, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, rejects, too_deep, leased, scraper, deadline_at, spent_at, paused, key_seed, capped_chain, capped_budget, revision, reopened_at, capped_quota) VALUES (15, 'broken', 'team', '{"id":"broken","client":"team","scraper":"county","source":"file:///countx.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"scrapers":[{"name":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"extracts":true,"fields":[],"required":[]}],"extracts":true,"fields":[],"required":[],"maxItems":null,"maxDepth":10}', 'done', 1, 1750000001000, 1750000001000, 2, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 2, 200, '[]', '[]', 0, 0, 'county', NULL, NULL, NULL, 485120791116646, 0, 0, 0, NULL, 0);
INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, ended_at, received, accepted, folded, rejected, capped, waiting, done, absent, failed, skipped, cancelled, partial, requests, bytes, field_counts, rejects, too_deep, leased, scraper, deadline_at, spent_at, paused, key_seed, capped_chain, capped_budget, revision, reopened_at, capped_quota) VALUES (16, 'stopped', 'team', '{"id":"stopped","client":"team","scraper":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"scrapers":[{"name":"county","source":"file:///county.scraper.ts","version":"v1","pace":{"perSecond":null,"burst":1,"concurrency":100000},"policy":{},"extracts":true,"fields":[],"required":[]}],"extracts":true,"fields":[],"required":[],"maxItems":null,"maxDepth":10}', 'paused', 0, 1750000001000, NULL, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '[]', '[]', 0, 2, 'county', NULL, NULL, '{"cause":"asked","reason":"asked for","at":1750000001000}', 3720489971388339, 0, 0, 0, NULL, 0);
INSERT INTO job_failures (job, kind, final, attempts, example_key, example_detail, sum) VALUES (2, 'not-found', 1, 1, 'k2', 'a not-found', 4155093774);
INSERT INTO job_failures (job, kind, final, attempts, example_key, example_detail, sum) VALUES (2, 'rate-limited', 0, 1, 'k7', 'a rate-limited', 2342265542);
INSERT INTO job_failures (job, kind, final, attempts, example_key, example_detail, sum) VALUES (2, 'timeout', 1, 4, 'k8', 'a timeout', 3752003764);
INSERT INTO job_failures (job, kind, final, attempts, example_key, example_detail, sum) VALUES (3, 'timeout', 0, 1, 'k2', 'a timeout', 4013526620);
INSERT INTO job_failures (job, kind, final, attempts, example_key, example_detail, sum) VALUES (4, 'budget', 7, 0, '', 'the job''s budget was spent before its turn came', 3790324411);
INSERT INTO job_failures (job, kind, final, attempts, example_key, example_detail, sum) VALUES (4, 'timeout', 0, 1, 'k0', 'a timeout', 3520550469);
INSERT INTO job_failures (job, kind, final, attempts, example_key, example_detail, sum) VALUES (6, 'blocked', 12, 12, 'k11', 'a blocked', 3017874401);
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (1, 'done.test', 0, 0, '[]', NULL, 0, NULL, NULL, 0, 3, 1.5, NULL, 0, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (2, 'mixed.test', 0, 0, '[]', '{"factor":0.5,"strain":0,"changedAtMs":1750000001000,"slowedAtMs":1750000001000}', 1750000031000, 'rate-limited', NULL, 0, 3, 12.5, NULL, 0, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (3, 'slow.test', 0, 0, '[]', NULL, 0, NULL, 2000, 1750086401000, 0, 0, 1, 0, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (4, 'cancelled.test', 0, 0, '[]', NULL, 0, NULL, NULL, 0, 6, 6, NULL, 0, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (5, 'spent.test', 0, 0, '[]', NULL, 0, NULL, NULL, 0, 6, 3, NULL, 0, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (6, 'paused.test', 0, 0, '[]', NULL, 0, NULL, NULL, 0, 1, 0.5, NULL, 1, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (7, 'held.test', 1750000001580, 20, '[]', NULL, 0, NULL, NULL, 0, 24, 15, NULL, 0, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (8, 'capped.test', 0, 0, '[]', NULL, 0, NULL, NULL, 0, 1, 0.5, NULL, 0, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (9, 'deep.test', 0, 0, '[]', NULL, 0, NULL, NULL, 0, 1, 0.5, NULL, 0, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (10, 'fresh1.test', 0, 0, '[]', NULL, 0, NULL, NULL, 0, 2, 1, NULL, 0, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (11, 'fresh2.test', 0, 0, '[]', NULL, 0, NULL, NULL, 0, 1, 1, NULL, 0, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (12, 'own.test', 1750000001000, 100, '[]', NULL, 0, NULL, NULL, 0, 1, 0.5, NULL, 0, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (13, 'removed.test', 0, 0, '[]', NULL, 0, NULL, NULL, 0, 2, 1, NULL, 0, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (14, 'bare.test', 0, 0, '[]', NULL, 0, NULL, NULL, 0, 2, 1, NULL, 0, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (15, 'damaged.test', 0, 0, '[]', NULL, 0, NULL, NULL, 0, 3, 1.5, NULL, 0, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (16, 'broken.test', 0, 0, '[]', NULL, 0, NULL, NULL, 0, 2, 1, NULL, 0, '[]');
INSERT INTO lanes (id, name, tat, interval_ms, spare, speed, hold_until, hold_reason, crawl_delay_ms, crawl_until, fresh_run, turn, operator_per_second, operator_held, ahead) VALUES (17, 'stopped.test', 0, 0, '[]', NULL, 0, NULL, NULL, 0, 2, 1, NULL, 0, '[]');
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (1, 1, 1, 'team', NULL, 1, 100000, 3, 3, 0, 1, NULL, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 1750000000000, NULL, 1, NULL, NULL, 0);
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (2, 2, 2, 'team', NULL, 1, 100000, 30, 23, 25, 1, 0, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 1750000001000, NULL, 1, NULL, NULL, 0);
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (3, 3, 4, 'other', NULL, 1, 100000, 10, 6, 2, 0, NULL, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 1750000001000, NULL, 1, NULL, NULL, 0);
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (4, 4, 5, 'team', NULL, 1, 100000, 12, 6, 2, 0, NULL, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 1750000001000, NULL, 1, NULL, NULL, 0);
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (5, 5, 6, 'team', NULL, 1, 100000, 4, 1, 4, 0, 0, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 1750000001000, NULL, 1, NULL, NULL, 0);
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (6, 6, 7, 'team', 50, 40, 40, 40, 30, 28, 0, 0, '{"failures":{"score":20.27138356790246,"usual":0.02,"weight":50,"bad":7,"total":7,"sinceMs":1750000001000},"absent":{"score":0,"usual":0.4,"weight":2,"bad":0,"total":0,"sinceMs":0},"missing":[],"records":0,"recent":"bbbbbbb"}', 1, '{"chart":"failures","reason":"7 of the last 7 attempts failed: 7 blocked","counts":{"blocked":7},"heals":true,"sinceMs":1750000001000,"examples":[{"queue":6,"seq":12,"key":"k11","kind":"blocked","detail":"a blocked","captures":[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]},{"queue":6,"seq":11,"key":"k10","kind":"blocked","detail":"a blocked","captures":[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]},{"queue":6,"seq":10,"key":"k9","kind":"blocked","detail":"a blocked","captures":[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]}]}', 1750000001000, 1750000061000, 0, 1, 0, 1750000001000, NULL, 1, NULL, NULL, 0);
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (7, 7, 8, 'team', NULL, 1, 100000, 7, 1, 2, 1, 0, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 1750000001000, NULL, 1, NULL, NULL, 0);
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (8, 8, 9, 'team', NULL, 1, 100000, 3, 1, 1, 1, 0, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 1750000001000, NULL, 1, NULL, NULL, 0);
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (9, 9, 10, 'team', NULL, 1, 100000, 2, 2, 1, 1, NULL, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 1750000001000, '{"maxAgeMs":60000}', 1, NULL, NULL, 0);
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (10, 10, 11, 'other', NULL, 1, 100000, 3, 3, 2, 1, 1750000061000, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 1750000001000, '{"maxAgeMs":60000,"sharedMaxAgeMs":60000}', 1, NULL, NULL, 0);
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (11, 11, 12, 'team', 10, 1, 10, 5, 1, 5, 1, 0, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 1750000001000, NULL, 1, 2, 1, 1750000000500);
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (12, 12, 13, 'team', NULL, 1, 100000, 2, 2, 0, 1, NULL, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 1750000001000, NULL, 1, NULL, NULL, 0);
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (13, 13, 14, 'team', NULL, 1, 100000, 2, 2, 0, 1, NULL, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 1750000001000, NULL, 1, NULL, NULL, 0);
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (14, 14, 15, 'team', NULL, 1, 100000, 3, 3, 0, 1, NULL, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 1750000001000, NULL, 1, NULL, NULL, 0);
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (15, 15, 16, 'team', NULL, 1, 100000, 2, 2, 0, 1, NULL, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 1750000001000, NULL, 1, NULL, NULL, 0);
INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, cursor, open, claimable, ready_at, breaker, doubtful, held, held_at, probe_at, probing, trips, priority, served_at, freshness, kinds, own_per_second, own_concurrency, own_next) VALUES (16, 16, 17, 'team', NULL, 1, 100000, 3, 2, 3, 0, 0, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 1750000001000, NULL, 1, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (1, 1, 'k0', '{"key":"k0"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (1, 2, 'k1', '{"key":"k1"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (1, 3, 'k2', '{"key":"k2"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 1, 'k0', '{"key":"k0"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 2, 'k1', '{"key":"k1"}', 4, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 3, 'k2', '{"key":"k2"}', 5, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 4, 'k3', '{"key":"k3"}', 2, 1, 0, 1750000060000, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 5, 'k4', '{"key":"k4"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 6, 'k5', '{"key":"k5"}', 0, 1, 0, NULL, 0, 0, 4, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 7, 'k6', '{"key":"k6"}', 2, 1, 0, 1750000000005, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 8, 'k7', '{"key":"k7"}', 2, 0, 1, 1750000090000, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 9, 'k8', '{"key":"k8"}', 5, 1, 0, NULL, 0, 0, 3, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 10, 'k9', '{"key":"k9"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 11, 'k10', '{"key":"k10"}', 0, 0, 0, NULL, 0, 1, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 12, 'k11', '{"key":"k11"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 13, 'k12', '{"key":"k12"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 14, 'k13', '{"key":"k13"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 15, 'k14', '{"key":"k14"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 16, 'k15', '{"key":"k15"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 17, 'k16', '{"key":"k16"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 18, 'k17', '{"key":"k17"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 19, 'k18', '{"key":"k18"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 20, 'k19', '{"key":"k19"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 21, 'k20', '{"key":"k20"}', 0, 0, 0, NULL, 0, 0, 6, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 22, 'k21', '{"key":"k21"}', 0, 0, 0, NULL, 1, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 23, 'k22', '{"key":"k22"}', 0, 0, 0, 1750000001000, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 24, 'k23', '{"key":"k23"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 25, 'k24', '{"key":"k24"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 26, 'k25', '{"key":"k25"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 27, 'k26', '{"key":"k26"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 28, 'k27', '{"key":"k27"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 29, 'k28', '{"key":"k28"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (2, 30, 'k29', '{"key":"k29"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (3, 1, 'k0', '{"key":"k0"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (3, 2, 'k1', '{"key":"k1"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (3, 3, 'k2', '{"key":"k2"}', 2, 1, 0, 1750000002000, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (3, 4, 'k3', '{"key":"k3"}', 0, 0, 0, 1750000001000, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (3, 5, 'k4', '{"key":"k4"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (3, 6, 'k5', '{"key":"k5"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (3, 7, 'k6', '{"key":"k6"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (3, 8, 'k7', '{"key":"k7"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (3, 9, 'k8', '{"key":"k8"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (3, 10, 'k9', '{"key":"k9"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (4, 1, 'k0', '{"key":"k0"}', 2, 1, 0, 1750000010000, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (4, 2, 'k1', '{"key":"k1"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (4, 3, 'k2', '{"key":"k2"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (4, 4, 'k3', '{"key":"k3"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (4, 5, 'k4', '{"key":"k4"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (4, 6, 'k5', '{"key":"k5"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (4, 7, 'k6', '{"key":"k6"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (4, 8, 'k7', '{"key":"k7"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (4, 9, 'k8', '{"key":"k8"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (4, 10, 'k9', '{"key":"k9"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (4, 11, 'k10', '{"key":"k10"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (4, 12, 'k11', '{"key":"k11"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (5, 1, 'k0', '{"key":"k0"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (5, 2, 'k1', '{"key":"k1"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (5, 3, 'k2', '{"key":"k2"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (5, 4, 'k3', '{"key":"k3"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 1, 'k0', '{"key":"k0"}', 5, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 2, 'k1', '{"key":"k1"}', 5, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 3, 'k2', '{"key":"k2"}', 5, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 4, 'k3', '{"key":"k3"}', 5, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 5, 'k4', '{"key":"k4"}', 5, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 6, 'k5', '{"key":"k5"}', 5, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 7, 'k6', '{"key":"k6"}', 5, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 8, 'k7', '{"key":"k7"}', 5, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 9, 'k8', '{"key":"k8"}', 5, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 10, 'k9', '{"key":"k9"}', 5, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 11, 'k10', '{"key":"k10"}', 5, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 12, 'k11', '{"key":"k11"}', 5, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 13, 'k12', '{"key":"k12"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 14, 'k13', '{"key":"k13"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 15, 'k14', '{"key":"k14"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 16, 'k15', '{"key":"k15"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 17, 'k16', '{"key":"k16"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 18, 'k17', '{"key":"k17"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 19, 'k18', '{"key":"k18"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 20, 'k19', '{"key":"k19"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 21, 'k20', '{"key":"k20"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 22, 'k21', '{"key":"k21"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 23, 'k22', '{"key":"k22"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 24, 'k23', '{"key":"k23"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 25, 'k24', '{"key":"k24"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 26, 'k25', '{"key":"k25"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 27, 'k26', '{"key":"k26"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 28, 'k27', '{"key":"k27"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 29, 'k28', '{"key":"k28"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 30, 'k29', '{"key":"k29"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 31, 'k30', '{"key":"k30"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 32, 'k31', '{"key":"k31"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 33, 'k32', '{"key":"k32"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 34, 'k33', '{"key":"k33"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 35, 'k34', '{"key":"k34"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 36, 'k35', '{"key":"k35"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 37, 'k36', '{"key":"k36"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 38, 'k37', '{"key":"k37"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 39, 'k38', '{"key":"k38"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (6, 40, 'k39', '{"key":"k39"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (7, 1, 'k0', '{"key":"k0"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (7, 2, 'k1', '{"key":"k1"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (7, 3, 'k2', '{"key":"k2"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (8, 1, 'root', '{"key":"root"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (8, 3, 'next', '{}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, 8, 1, 1);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (9, 1, 'p', '{"key":"p"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (9, 2, 'q', '{"key":"q"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (10, 1, 'p', '{"key":"p"}', 6, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (10, 2, 'q', '{"key":"q"}', 2, 0, 0, 1750000061000, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (10, 3, 'r', '{"key":"r"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (11, 1, 'k0', '{"key":"k0"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (11, 2, 'k1', '{"key":"k1"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (11, 3, 'k2', '{"key":"k2"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (11, 4, 'k3', '{"key":"k3"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (11, 5, 'k4', '{"key":"k4"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (12, 1, 'k0', '{"key":"k0"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (12, 2, 'k1', '{"key":"k1"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (13, 1, 'k0', '{"key":"k0"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (13, 2, 'k1', '{"key":"k1"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (14, 1, 'k0', '{"key":"k0"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (14, 2, 'k1', '{"key":"k1"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (14, 3, 'k2', '{"key":"k2"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (15, 1, 'k0', '{"key":"k0"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (15, 2, 'k1', '{"key":"k1"}', 3, 1, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (16, 1, 'k0', '{"key":"k0"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (16, 2, 'k1', '{"key":"k1"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO items (queue, seq, key, input, state, attempts, throttles, due_at, suspect, acted, lease, scraper, depth, parent_queue, parent_seq, chain) VALUES (16, 3, 'k2', '{"key":"k2"}', 0, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 0);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (1, 4002414930375059, 1, 3);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (1, 4657387525216532, 1, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (1, 5540359724125596, 1, 2);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 213688347027447, 2, 24);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 347659764518453, 2, 26);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 671223610279867, 2, 13);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 678498315689366, 2, 14);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 729982979780914, 2, 10);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 967177125307122, 2, 16);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 1045411397476430, 2, 20);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 1323007200579581, 2, 21);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 2626960311482544, 2, 18);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 2695781437594657, 2, 23);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 3090929366031955, 2, 29);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 3519578159861833, 2, 15);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 3567432542388852, 2, 22);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 3902149570079885, 2, 4);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 3943445618364610, 2, 5);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 4144657849687224, 2, 3);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 4176665800775536, 2, 7);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 4251143342567037, 2, 19);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 5207839922942042, 2, 27);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 5427290003100895, 2, 25);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 5855927055626102, 2, 30);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 6816924243989463, 2, 8);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 7018354803135746, 2, 11);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 7124679710442529, 2, 17);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 7249727909885028, 2, 6);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 7549237245606605, 2, 28);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 7916069573005676, 2, 2);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 8519857337887212, 2, 9);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 8609126563891602, 2, 12);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (2, 8806649289554098, 2, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (3, 298530776084605, 3, 2);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (3, 2010920377635346, 3, 7);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (3, 3696338991820912, 3, 10);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (3, 4164244274688613, 3, 6);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (3, 6530544511278841, 3, 8);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (3, 6590104812813839, 3, 5);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (3, 6959028515986458, 3, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (3, 7076750303263984, 3, 4);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (3, 7678579099868997, 3, 9);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (3, 8176287968308324, 3, 3);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (4, 82929377451243, 4, 2);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (4, 373987070294892, 4, 11);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (4, 874974956948566, 4, 3);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (4, 1441892542208514, 4, 5);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (4, 4503698106211454, 4, 9);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (4, 5093261128708160, 4, 7);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (4, 5223603262585448, 4, 12);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (4, 5266937791613927, 4, 10);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (4, 7694032835570867, 4, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (4, 7785501923394433, 4, 6);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (4, 8705408842192715, 4, 4);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (4, 8814761612421099, 4, 8);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (5, 5158601036261347, 5, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (5, 6009664146943195, 5, 4);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (5, 8083423768775987, 5, 2);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (5, 8230135868195665, 5, 3);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 171935502286465, 6, 16);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 216290321028142, 6, 15);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 358119590169089, 6, 9);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 1827596992734185, 6, 33);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 1858619874810064, 6, 21);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 2251552332520055, 6, 29);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 2569438095582675, 6, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 2689635545597359, 6, 20);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 2708010475634721, 6, 3);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 2971315008935878, 6, 40);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 3157624818554778, 6, 18);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 3233748866205595, 6, 25);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 3296328714854110, 6, 5);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 3571814522858673, 6, 35);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 3588770133916653, 6, 34);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 3599473044734820, 6, 19);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 3889842869244733, 6, 36);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 3944026779114736, 6, 37);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 3974617941173497, 6, 39);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 4020158279924172, 6, 32);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 4077914055956506, 6, 8);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 4286683683533495, 6, 28);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 4491154155582287, 6, 24);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 4610338186737205, 6, 2);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 4676377593292911, 6, 27);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 4863899043041647, 6, 26);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 4890637142274975, 6, 7);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 5005079681048644, 6, 30);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 5317441660289892, 6, 14);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 5719572117429779, 6, 10);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 5862268617170660, 6, 31);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 6109273040753133, 6, 6);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 6377996483702297, 6, 22);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 6714779820555979, 6, 11);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 6993899890763997, 6, 4);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 7427659514843588, 6, 13);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 7823403112787017, 6, 38);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 8145144244717473, 6, 23);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 8584007911525827, 6, 17);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (6, 8985699113936775, 6, 12);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (7, 1067080982390993, 7, 4);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (7, 1924363713216992, 7, 3);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (7, 2807527027602707, 7, 2);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (7, 5279858152655259, 7, 6);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (7, 6840186880029000, 7, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (7, 8650471688670993, 7, 5);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (8, 2444536593248656, 8, 2);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (8, 2642531204464387, 8, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (8, 6023424535284131, 8, 3);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (9, 3411392096212175, 9, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (9, 3513892280893534, 9, 2);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (10, 559735226583864, 10, 2);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (10, 1806172759373443, 10, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (10, 6937760811778450, 10, 3);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (11, 214816228697833, 11, 3);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (11, 602187000766149, 11, 2);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (11, 3874009359696163, 11, 5);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (11, 6514932968444824, 11, 4);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (11, 6535779436117562, 11, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (12, 5036947846316807, 12, 2);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (12, 7440348352686871, 12, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (13, 807130811143971, 13, 2);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (13, 4226637139402084, 13, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (14, 6069775170879560, 14, 3);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (14, 8032377513190635, 14, 2);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (14, 8675030347931746, 14, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (15, 2074756585850531, 15, 2);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (15, 3747737783233328, 15, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (16, 4417885388738199, 16, 1);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (16, 4576434469026829, 16, 3);
INSERT INTO item_keys (job, hash, queue, seq) VALUES (16, 6738301949623871, 16, 2);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (1, 1, 1750000000000, 'partial', NULL, '[{"blob":"jobs/done/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000000000}]', '{"blob":"jobs/done/records/0.jsonl","offset":0,"length":10}', NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 1724314378, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (1, 2, 1750000000000, 'complete', NULL, '[{"blob":"jobs/done/captures/0.warc.gz","offset":20,"length":20,"url":"https://x.test/","type":"page","at":1750000000000},{"blob":"jobs/done/captures/0.warc.gz","offset":40,"length":20,"url":"https://x.test/","type":"page","at":1750000000000}]', '{"blob":"jobs/done/records/0.jsonl","offset":10,"length":10}', NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 4048473381, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (1, 3, 1750000000000, 'complete', NULL, '[{"blob":"jobs/done/captures/0.warc.gz","offset":20,"length":20,"url":"https://x.test/","type":"page","at":1750000000000},{"blob":"jobs/done/captures/0.warc.gz","offset":40,"length":20,"url":"https://x.test/","type":"page","at":1750000000000}]', '{"blob":"jobs/done/records/0.jsonl","offset":10,"length":10}', NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 1454321322, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (2, 1, 1750000000000, 'complete', NULL, NULL, NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 2226715856, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (2, 2, 1750000000000, NULL, NULL, '[{"blob":"jobs/mixed/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000000000}]', NULL, NULL, NULL, NULL, '[0,5,1,100,"w1","no such page"]', 0, 2527704701, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (2, 3, 1750000000000, NULL, '{"kind":"not-found","detail":"a not-found"}', NULL, NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"not-found","detail":"a not-found"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 2135434660, 4054479952);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (2, 4, 1750000000000, NULL, '{"kind":"timeout","detail":"a timeout"}', NULL, NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"timeout","detail":"a timeout"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 3740682211, 1866143046);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (2, 5, 1750000000000, 'complete', NULL, NULL, NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 2729267844, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (2, 6, 1750000000000, NULL, '{"kind":"timeout","detail":"a timeout"}', '[{"blob":"jobs/mixed/captures/0.warc.gz","offset":60,"length":20,"url":"https://x.test/","type":"page","at":1750000000000}]', NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"timeout","detail":"a timeout"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 2486754792, 1051914747);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (2, 7, 1750000000000, NULL, '{"kind":"timeout","detail":"a timeout"}', '[{"blob":"jobs/mixed/captures/0.warc.gz","offset":60,"length":20,"url":"https://x.test/","type":"page","at":1750000000000}]', NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"timeout","detail":"a timeout"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 3149055264, 4224614533);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (2, 8, 1750000000000, NULL, '{"kind":"rate-limited","detail":"a rate-limited"}', NULL, NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"rate-limited","detail":"a rate-limited"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 3975225110, 2691091875);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (2, 9, 1750000001000, NULL, '{"kind":"timeout","detail":"a timeout"}', NULL, NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"timeout","detail":"a timeout"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 4003754423, 2483173879);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (3, 1, 1750000001000, 'complete', NULL, NULL, NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 75662071, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (3, 2, 1750000001000, 'complete', NULL, NULL, NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 1152724393, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (3, 3, 1750000001000, NULL, '{"kind":"timeout","detail":"a timeout"}', NULL, NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"timeout","detail":"a timeout"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 1588126366, 3462633809);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (4, 1, 1750000001000, NULL, '{"kind":"timeout","detail":"a timeout"}', NULL, NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"timeout","detail":"a timeout"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 2715340962, 3358605860);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (4, 2, 1750000001000, 'complete', NULL, NULL, NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 432949637, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (4, 3, 1750000001000, 'complete', NULL, NULL, NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 1257452017, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (4, 4, 1750000001000, 'complete', NULL, NULL, NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 2577471289, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (6, 1, 1750000001000, NULL, '{"kind":"blocked","detail":"a blocked"}', '[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"blocked","detail":"a blocked"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 63093287, 3246104040);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (6, 2, 1750000001000, NULL, '{"kind":"blocked","detail":"a blocked"}', '[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"blocked","detail":"a blocked"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 282185849, 1435371563);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (6, 3, 1750000001000, NULL, '{"kind":"blocked","detail":"a blocked"}', '[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"blocked","detail":"a blocked"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 1928391437, 2431809877);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (6, 4, 1750000001000, NULL, '{"kind":"blocked","detail":"a blocked"}', '[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"blocked","detail":"a blocked"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 922158277, 2803115500);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (6, 5, 1750000001000, NULL, '{"kind":"blocked","detail":"a blocked"}', '[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"blocked","detail":"a blocked"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 3785758835, 1651004562);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (6, 6, 1750000001000, NULL, '{"kind":"blocked","detail":"a blocked"}', '[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"blocked","detail":"a blocked"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 4071977517, 4137533777);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (6, 7, 1750000001000, NULL, '{"kind":"blocked","detail":"a blocked"}', '[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"blocked","detail":"a blocked"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 2425637209, 870428719);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (6, 8, 1750000001000, NULL, '{"kind":"blocked","detail":"a blocked"}', '[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"blocked","detail":"a blocked"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 2059054525, 2572253219);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (6, 9, 1750000001000, NULL, '{"kind":"blocked","detail":"a blocked"}', '[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"blocked","detail":"a blocked"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 477821134, 1546455389);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (6, 10, 1750000001000, NULL, '{"kind":"blocked","detail":"a blocked"}', '[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"blocked","detail":"a blocked"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 847383501, 3472982692);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (6, 11, 1750000001000, NULL, '{"kind":"blocked","detail":"a blocked"}', '[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"blocked","detail":"a blocked"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 338517645, 176026586);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (6, 12, 1750000001000, NULL, '{"kind":"blocked","detail":"a blocked"}', '[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, '[{"at":0,"ms":5,"worker":"w1","failure":{"kind":"blocked","detail":"a blocked"},"requests":1,"bytes":100}]', NULL, NULL, '[0,5,1,100,"w1"]', 0, 3204101707, 2659739161);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (7, 1, 1750000001000, 'complete', NULL, NULL, NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 3086813066, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (8, 1, 1750000001000, 'complete', NULL, NULL, NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 4271662056, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (9, 1, 1750000001000, 'complete', NULL, '[{"blob":"jobs/fresh1/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', '{"blob":"jobs/fresh1/records/0.jsonl","offset":0,"length":10}', NULL, NULL, 'new', '[0,5,1,100,"w1"]', 0, 1811793118, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (10, 1, 1750000001000, 'complete', NULL, '[{"blob":"jobs/fresh1/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', '{"blob":"jobs/fresh1/records/0.jsonl","offset":0,"length":10}', NULL, '{"reason":"fresh","from":{"job":"fresh1","queue":9,"seq":1}}', 'new', NULL, 0, 1517701037, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (12, 1, 1750000001000, 'complete', NULL, '[{"blob":"jobs/removed/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 2515732327, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (12, 2, 1750000001000, 'complete', NULL, '[{"blob":"jobs/removed/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 713803733, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (13, 1, 1750000001000, 'complete', NULL, '[{"blob":"jobs/bare/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 2693821824, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (13, 2, 1750000001000, 'complete', NULL, '[{"blob":"jobs/bare/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 1266179272, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (14, 1, 1750000001000, 'complete', NULL, '[{"blob":"jobs/damaged/captures/7.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 2316746025, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (14, 2, 1750000001000, 'complete', NULL, '[{"blob":"jobs/damaged/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 896433563, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (14, 3, 1750000001000, 'complete', NULL, '[{"blob":"jobs/damaged/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 862576459, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (15, 1, 1750000001000, 'complete', NULL, '[{"blob":"jobs/broken/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 547094524, NULL);
INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, change, attempt, revision, sum, history_sum) VALUES (15, 2, 1750000001000, 'complete', NULL, '[{"blob":"jobs/broken/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]', NULL, NULL, NULL, NULL, '[0,5,1,100,"w1"]', 0, 372812896, NULL);
INSERT INTO suspects (queue, seq, due_at, blamed, unexplained, in_hand) VALUES (2, 21, 1750000001000, 0, 0, 1);
INSERT INTO suspects (queue, seq, due_at, blamed, unexplained, in_hand) VALUES (2, 22, 1750000001000, 0, 0, 0);
INSERT INTO workers (name, until, alone, jobs, running, pulse_lease, unsettled) VALUES ('w1', 1750003601000, 0, '["done"]', '[[2,10],[2,11],[2,12],[2,13],[2,14],[2,15],[2,16],[2,17],[2,18],[2,19],[2,20],[2,6],[3,5],[3,6],[4,5],[4,6],[5,1],[6,13],[6,14],[6,15],[6,16],[6,17],[6,18],[6,19],[6,20],[6,21],[6,22],[6,23],[6,24],[6,25],[6,26],[6,27],[6,28],[6,29],[6,30],[9,2],[10,3],[11,1]]', 16, '[]');
INSERT INTO workers (name, until, alone, jobs, running, pulse_lease, unsettled) VALUES ('w3', 1750003601000, 1, NULL, '[]', 0, '[]');
INSERT INTO leases (id, worker, queue, lo, hi, open) VALUES (2, 'w1', 2, 1, 20, 11);
INSERT INTO leases (id, worker, queue, lo, hi, open) VALUES (4, 'w1', 2, 6, 6, 1);
INSERT INTO leases (id, worker, queue, lo, hi, open) VALUES (6, 'w3', 2, 21, 21, 1);
INSERT INTO leases (id, worker, queue, lo, hi, open) VALUES (8, 'w1', 3, 3, 6, 2);
INSERT INTO leases (id, worker, queue, lo, hi, open) VALUES (9, 'w1', 4, 1, 6, 2);
INSERT INTO leases (id, worker, queue, lo, hi, open) VALUES (10, 'w1', 5, 1, 1, 1);
INSERT INTO leases (id, worker, queue, lo, hi, open) VALUES (11, 'w1', 6, 1, 30, 18);
INSERT INTO leases (id, worker, queue, lo, hi, open) VALUES (14, 'w1', 9, 1, 2, 1);
INSERT INTO leases (id, worker, queue, lo, hi, open) VALUES (15, 'w1', 10, 3, 3, 1);
INSERT INTO leases (id, worker, queue, lo, hi, open) VALUES (16, 'w1', 11, 1, 1, 1);
INSERT INTO leases (id, worker, queue, lo, hi, open) VALUES (21, 'w1', 16, 1, 2, 2);
INSERT INTO hands (lane, worker, count) VALUES (2, 'w1', 12);
INSERT INTO hands (lane, worker, count) VALUES (2, 'w3', 1);
INSERT INTO hands (lane, worker, count) VALUES (4, 'w1', 2);
INSERT INTO hands (lane, worker, count) VALUES (5, 'w1', 2);
INSERT INTO hands (lane, worker, count) VALUES (6, 'w1', 1);
INSERT INTO hands (lane, worker, count) VALUES (7, 'w1', 18);
INSERT INTO hands (lane, worker, count) VALUES (10, 'w1', 1);
INSERT INTO hands (lane, worker, count) VALUES (11, 'w1', 1);
INSERT INTO hands (lane, worker, count) VALUES (12, 'w1', 1);
INSERT INTO hands (lane, worker, count) VALUES (17, 'w1', 2);
INSERT INTO events (id, at, type, job, facts) VALUES (1, 1750000000000, 'job.started', 'done', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (2, 1750000000000, 'job.completed', 'done', '{"done":3,"absent":0,"failed":0,"skipped":0}');
INSERT INTO events (id, at, type, job, facts) VALUES (3, 1750000000000, 'job.started', 'mixed', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (4, 1750000000000, 'item.failed', 'mixed', '{"count":1,"kinds":{"not-found":1},"items":[{"queue":2,"seq":3,"key":"k2","kind":"not-found","detail":"a not-found"}]}');
INSERT INTO events (id, at, type, job, facts) VALUES (5, 1750000001000, 'item.failed', 'mixed', '{"count":1,"kinds":{"timeout":1},"items":[{"queue":2,"seq":9,"key":"k8","kind":"timeout","detail":"a timeout"}]}');
INSERT INTO events (id, at, type, job, facts) VALUES (6, 1750000001000, 'job.started', 'cancelled', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (7, 1750000001000, 'job.started', 'spent', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (8, 1750000001000, 'item.failed', 'spent', '{"count":7,"kinds":{"budget":7},"items":[],"spent":{"requests":4,"bytes":400},"budget":{"requests":4}}');
INSERT INTO events (id, at, type, job, facts) VALUES (9, 1750000001000, 'job.started', 'paused', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (10, 1750000001000, 'job.paused', 'paused', '{"cause":"asked","reason":"asked for"}');
INSERT INTO events (id, at, type, job, facts) VALUES (11, 1750000001000, 'job.started', 'held', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (12, 1750000001000, 'item.failed', 'held', '{"count":12,"kinds":{"blocked":12},"items":[{"queue":6,"seq":1,"key":"k0","kind":"blocked","detail":"a blocked"},{"queue":6,"seq":2,"key":"k1","kind":"blocked","detail":"a blocked"},{"queue":6,"seq":3,"key":"k2","kind":"blocked","detail":"a blocked"},{"queue":6,"seq":4,"key":"k3","kind":"blocked","detail":"a blocked"},{"queue":6,"seq":5,"key":"k4","kind":"blocked","detail":"a blocked"},{"queue":6,"seq":6,"key":"k5","kind":"blocked","detail":"a blocked"},{"queue":6,"seq":7,"key":"k6","kind":"blocked","detail":"a blocked"},{"queue":6,"seq":8,"key":"k7","kind":"blocked","detail":"a blocked"},{"queue":6,"seq":9,"key":"k8","kind":"blocked","detail":"a blocked"},{"queue":6,"seq":10,"key":"k9","kind":"blocked","detail":"a blocked"},{"queue":6,"seq":11,"key":"k10","kind":"blocked","detail":"a blocked"},{"queue":6,"seq":12,"key":"k11","kind":"blocked","detail":"a blocked"}]}');
INSERT INTO events (id, at, type, job, facts) VALUES (13, 1750000001000, 'lane.held', 'held', '{"lane":"held.test","evidence":{"chart":"failures","reason":"7 of the last 7 attempts failed: 7 blocked","counts":{"blocked":7},"heals":true,"sinceMs":1750000001000,"examples":[{"queue":6,"seq":12,"key":"k11","kind":"blocked","detail":"a blocked","captures":[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]},{"queue":6,"seq":11,"key":"k10","kind":"blocked","detail":"a blocked","captures":[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]},{"queue":6,"seq":10,"key":"k9","kind":"blocked","detail":"a blocked","captures":[{"blob":"jobs/held/captures/0.warc.gz","offset":0,"length":20,"url":"https://x.test/","type":"page","at":1750000001000}]}]}}');
INSERT INTO events (id, at, type, job, facts) VALUES (14, 1750000001000, 'job.started', 'capped', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (15, 1750000001000, 'job.started', 'deep', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (16, 1750000001000, 'job.started', 'fresh1', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (17, 1750000001000, 'job.started', 'fresh2', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (18, 1750000001000, 'job.started', 'own', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (19, 1750000001000, 'job.started', 'removed', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (20, 1750000001000, 'job.completed', 'removed', '{"done":2,"absent":0,"failed":0,"skipped":0}');
INSERT INTO events (id, at, type, job, facts) VALUES (21, 1750000001000, 'job.started', 'bare', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (22, 1750000001000, 'job.completed', 'bare', '{"done":2,"absent":0,"failed":0,"skipped":0}');
INSERT INTO events (id, at, type, job, facts) VALUES (23, 1750000001000, 'job.started', 'damaged', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (24, 1750000001000, 'job.completed', 'damaged', '{"done":3,"absent":0,"failed":0,"skipped":0}');
INSERT INTO events (id, at, type, job, facts) VALUES (25, 1750000001000, 'job.started', 'broken', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (26, 1750000001000, 'job.completed', 'broken', '{"done":2,"absent":0,"failed":0,"skipped":0}');
INSERT INTO events (id, at, type, job, facts) VALUES (27, 1750000001000, 'lane.held', 'paused', '{"lane":"paused.test","by":"operator"}');
INSERT INTO events (id, at, type, job, facts) VALUES (28, 1750000001000, 'job.started', 'stopped', '{"scraper":"county"}');
INSERT INTO events (id, at, type, job, facts) VALUES (29, 1750000001000, 'job.paused', 'stopped', '{"cause":"asked","reason":"asked for"}');
INSERT INTO service (id, turn, latest_at, boot, ahead_ms, last_queue) VALUES (1, 35.5, 1750000001000, 'one', 0, 0);
INSERT INTO job_labels (name, value, job) VALUES ('kind', 'b', 1);
INSERT INTO job_labels (name, value, job) VALUES ('town', 'a', 1);
INSERT INTO accepted (client, minute, count) VALUES ('other', 29166666, 13);
INSERT INTO accepted (client, minute, count) VALUES ('team', 29166666, 117);
INSERT INTO turns (lane, client, had, ready_at) VALUES (1, 'team', 1.5, NULL);
INSERT INTO turns (lane, client, had, ready_at) VALUES (2, 'team', 12.5, 1750000031000);
INSERT INTO turns (lane, client, had, ready_at) VALUES (4, 'other', 6, NULL);
INSERT INTO turns (lane, client, had, ready_at) VALUES (5, 'team', 3, NULL);
INSERT INTO turns (lane, client, had, ready_at) VALUES (6, 'team', 0.5, NULL);
INSERT INTO turns (lane, client, had, ready_at) VALUES (7, 'team', 15, NULL);
INSERT INTO turns (lane, client, had, ready_at) VALUES (8, 'team', 0.5, 1750000001000);
INSERT INTO turns (lane, client, had, ready_at) VALUES (9, 'team', 0.5, 0);
INSERT INTO turns (lane, client, had, ready_at) VALUES (10, 'team', 1, NULL);
INSERT INTO turns (lane, client, had, ready_at) VALUES (11, 'other', 1, 1750000061000);
INSERT INTO turns (lane, client, had, ready_at) VALUES (12, 'team', 0.5, 1750000001000);
INSERT INTO turns (lane, client, had, ready_at) VALUES (13, 'team', 1, NULL);
INSERT INTO turns (lane, client, had, ready_at) VALUES (14, 'team', 1, NULL);
INSERT INTO turns (lane, client, had, ready_at) VALUES (15, 'team', 1.5, NULL);
INSERT INTO turns (lane, client, had, ready_at) VALUES (16, 'team', 1, NULL);
INSERT INTO turns (lane, client, had, ready_at) VALUES (17, 'team', 1, NULL);
INSERT INTO client_hands (client, worker, count) VALUES ('team', 'w1', 37);
INSERT INTO client_hands (client, worker, count) VALUES ('team', 'w3', 1);
INSERT INTO worker_cards (name, card, draining, lanes, registered_at, kinds) VALUES ('idle', '{"name":"idle","host":"host-1","pid":42,"version":"1.2.3","concurrency":200,"isDraining":true,"lanes":["a.test"]}', 1, '["a.test"]', 1750000000000, NULL);
INSERT INTO worker_cards (name, card, draining, lanes, registered_at, kinds) VALUES ('w1', '{"name":"w1","host":"host-1","pid":42,"version":"1.2.3","concurrency":200,"isDraining":false,"kinds":["http"]}', 0, NULL, 1750000000000, 1);
INSERT INTO stops (job, queue, worker, told) VALUES (16, 16, 'w1', 0);
INSERT INTO fresh (key, scraper, owner, failed, version, job, queue, seq, fetched_at, fresh_until, outcome, etag, last_modified, url, digest) VALUES ('p', 'county', '', 0, 'v1', 'fresh1', 9, 1, 1750000001000, 1750003601000, 'done', 'e', NULL, NULL, 'd');
INSERT INTO fresh (key, scraper, owner, failed, version, job, queue, seq, fetched_at, fresh_until, outcome, etag, last_modified, url, digest) VALUES ('p', 'county', 'other', 0, 'v1', 'fresh1', 9, 1, 1750000001000, 1750003601000, 'done', 'e', NULL, NULL, 'd');
INSERT INTO fresh (key, scraper, owner, failed, version, job, queue, seq, fetched_at, fresh_until, outcome, etag, last_modified, url, digest) VALUES ('p', 'county', 'team', 0, 'v1', 'fresh1', 9, 1, 1750000001000, 1750003601000, 'done', 'e', NULL, NULL, 'd');
INSERT INTO fetches (queue, seq, job, client, scraper, version, key) VALUES (9, 2, 'fresh1', 'team', 'county', 'v1', 'q');
INSERT INTO fetches (queue, seq, job, client, scraper, version, key) VALUES (10, 3, 'fresh2', 'other', 'county', 'v1', 'r');
INSERT INTO followers (queue, seq, leader_queue, leader_seq, free) VALUES (10, 2, 9, 2, 0);
INSERT INTO job_changes (job, change, count, sum) VALUES ('fresh1', 'new', 1, 2829787476);
INSERT INTO job_changes (job, change, count, sum) VALUES ('fresh2', 'new', 1, 639903415);
INSERT INTO work_sums (name, value) VALUES ('claim seconds', 1.5);
INSERT INTO work_sums (name, value) VALUES ('lost leases', 1);
INSERT INTO work_sums (name, value) VALUES ('lost workers', 1);
INSERT INTO work_sums (name, value) VALUES ('removed jobs', 1);
INSERT INTO work_sums (name, value) VALUES ('suspect items', 2);
INSERT INTO capped (queue, seq, key, input, scraper, depth, chain, parent_queue, parent_seq, cap) VALUES (7, 4, 'k3', '{"key":"k3"}', 0, 0, 0, NULL, NULL, 'items');
INSERT INTO capped (queue, seq, key, input, scraper, depth, chain, parent_queue, parent_seq, cap) VALUES (7, 5, 'c1', '{"key":"c1"}', 0, 0, 1, 7, 1, 'items');
INSERT INTO capped (queue, seq, key, input, scraper, depth, chain, parent_queue, parent_seq, cap) VALUES (7, 6, 'c2', '{"key":"c2"}', 0, 0, 1, 7, 1, 'items');
INSERT INTO capped (queue, seq, key, input, scraper, depth, chain, parent_queue, parent_seq, cap) VALUES (8, 2, 'child', '{}', 1, 1, 0, 8, 1, 'depth');
INSERT INTO removals (number, id, client, scraper, what, created_at, ended_at, marked_at, step, queue, seq, counted_to, items, captures, bytes) VALUES (12, 'removed', 'team', 'county', 'job', 1750000001000, 1750000001000, 1750000001000, 'fresh', 0, 0, '', 0, 0, 0);
INSERT INTO removals (number, id, client, scraper, what, created_at, ended_at, marked_at, step, queue, seq, counted_to, items, captures, bytes) VALUES (13, 'bare', 'team', 'county', 'pages', 1750000001000, 1750000001000, 1750000001000, 'fresh', 0, 0, '', 0, 0, 0);
INSERT INTO borrowed (owner, queue, seq) VALUES ('fresh1', 10, 1);
INSERT INTO job_sums (job, whole, counts, spec) VALUES (1, 1, 3635784702, 698968931);
INSERT INTO job_sums (job, whole, counts, spec) VALUES (2, 1, 3248376722, 2831510459);
INSERT INTO job_sums (job, whole, counts, spec) VALUES (3, 1, 2658265196, 3204802591);
INSERT INTO job_sums (job, whole, counts, spec) VALUES (4, 1, 3542762912, 1456233478);
INSERT INTO job_sums (job, whole, counts, spec) VALUES (5, 1, 2686272286, 1353440730);
INSERT INTO job_sums (job, whole, counts, spec) VALUES (6, 1, 2134867299, 3541243);
INSERT INTO job_sums (job, whole, counts, spec) VALUES (7, 1, 2670335828, 491773808);
INSERT INTO job_sums (job, whole, counts, spec) VALUES (8, 1, 241351227, 3304236338);
INSERT INTO job_sums (job, whole, counts, spec) VALUES (9, 1, 681924359, 3311218913);
INSERT INTO job_sums (job, whole, counts, spec) VALUES (10, 1, 3962144396, 2457138908);
INSERT INTO job_sums (job, whole, counts, spec) VALUES (11, 1, 1082779206, 1308471345);
INSERT INTO job_sums (job, whole, counts, spec) VALUES (13, 1, 833669803, 4028067418);
INSERT INTO job_sums (job, whole, counts, spec) VALUES (14, 1, 1409951212, 3224927993);
INSERT INTO job_sums (job, whole, counts, spec) VALUES (15, 1, 2338871895, 1192340614);
INSERT INTO job_sums (job, whole, counts, spec) VALUES (16, 1, 4152149682, 3220708408);
INSERT INTO own_slots (queue, lane, tat) VALUES (11, 12, 1750000001000);
CREATE INDEX queues_job ON queues (job);
CREATE INDEX queues_open ON queues (lane, per_second) WHERE open > 0;
CREATE INDEX queues_probe ON queues (probe_at) WHERE probe_at IS NOT NULL AND probing = 0;
CREATE INDEX items_due ON items (queue, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX workers_until ON workers (until);
CREATE INDEX leases_worker ON leases (worker);
CREATE INDEX leases_queue ON leases (queue);
CREATE INDEX hands_worker ON hands (worker);
CREATE INDEX jobs_client ON jobs (client, number);
CREATE INDEX jobs_state ON jobs (state, number);
CREATE INDEX jobs_scraper ON jobs (scraper, number);
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX jobs_deadline ON jobs (deadline_at) WHERE deadline_at IS NOT NULL AND ended_at IS NULL;
CREATE INDEX queues_ready ON queues (lane, client, priority DESC, served_at) WHERE ready_at IS NOT NULL AND claimable = 1;
CREATE INDEX queues_held ON queues (job) WHERE held IS NOT NULL;
CREATE INDEX turns_ready ON turns (client, ready_at, lane) WHERE ready_at IS NOT NULL;
CREATE INDEX items_ended ON items (queue, state, seq) WHERE state > 3;
CREATE INDEX items_back ON items (queue, state, seq) WHERE due_at IS NOT NULL;
CREATE INDEX client_hands_worker ON client_hands (worker);
CREATE INDEX stops_worker ON stops (worker);
CREATE INDEX events_job ON events (job, id);
CREATE INDEX fetches_key ON fetches (key, scraper);
CREATE INDEX followers_leader ON followers (leader_queue, leader_seq);
CREATE INDEX removals_open ON removals (marked_at) WHERE step IS NOT NULL;
CREATE INDEX borrowed_by ON borrowed (queue, seq);
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
CREATE TRIGGER job_failures_added AFTER INSERT ON job_failures BEGIN
  UPDATE job_failures SET sum = row_sum(job, kind, final, attempts, example_key, example_detail) WHERE job = NEW.job AND kind = NEW.kind;
END;
CREATE TRIGGER job_failures_changed AFTER UPDATE OF final, attempts, example_key, example_detail ON job_failures BEGIN
  UPDATE job_failures SET sum = row_sum(job, kind, final, attempts, example_key, example_detail) WHERE job = NEW.job AND kind = NEW.kind;
END;
CREATE TRIGGER job_changes_added AFTER INSERT ON job_changes BEGIN
  UPDATE job_changes SET sum = row_sum(job, change, count) WHERE job = NEW.job AND change = NEW.change;
END;
CREATE TRIGGER job_changes_changed AFTER UPDATE OF count ON job_changes BEGIN
  UPDATE job_changes SET sum = row_sum(job, change, count) WHERE job = NEW.job AND change = NEW.change;
END;
PRAGMA user_version = 13;
