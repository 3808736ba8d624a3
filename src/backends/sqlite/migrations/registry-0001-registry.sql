
CREATE TABLE client_cards (name TEXT PRIMARY KEY, card TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  client TEXT NOT NULL,
  role TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  created_at REAL NOT NULL,
  revoked_at REAL,
  used_at REAL
) WITHOUT ROWID;
CREATE INDEX api_keys_of ON api_keys (client, created_at);
CREATE TABLE once_answers (
  client TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  name TEXT NOT NULL,
  begun_at REAL NOT NULL,
  keep_until REAL NOT NULL,
  status INTEGER,
  body TEXT,
  PRIMARY KEY (client, key)
);
CREATE INDEX once_answers_kept ON once_answers (keep_until);
CREATE TABLE duties (
  duty TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  held_until REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  event INTEGER NOT NULL,
  client TEXT NOT NULL,
  job TEXT,
  endpoint TEXT NOT NULL,
  line TEXT NOT NULL,
  url TEXT NOT NULL,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'due',
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at REAL NOT NULL,
  due_at REAL NOT NULL,
  taken_until REAL,
  ended_at REAL,
  last_status INTEGER,
  last_error TEXT,
  UNIQUE (event, endpoint)
);
CREATE INDEX deliveries_due ON deliveries (line, due_at, seq) WHERE state = 'due';
CREATE INDEX deliveries_taken ON deliveries (line, taken_until) WHERE taken_until IS NOT NULL;
CREATE INDEX deliveries_ended ON deliveries (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX deliveries_of_client ON deliveries (client, seq);
CREATE INDEX deliveries_of_client_in ON deliveries (client, state, seq);
CREATE INDEX deliveries_in ON deliveries (state, seq);
CREATE INDEX deliveries_of_job ON deliveries (job, seq) WHERE job IS NOT NULL;
CREATE TABLE alerts (id TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
