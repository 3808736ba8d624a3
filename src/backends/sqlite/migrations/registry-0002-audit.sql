
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at REAL NOT NULL,
  actor TEXT NOT NULL,
  client TEXT,
  via TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT,
  detail TEXT,
  address TEXT,
  outcome TEXT NOT NULL
);
CREATE INDEX audit_of_actor ON audit (actor, seq);
CREATE INDEX audit_of_action ON audit (action, seq);
