-- Schedules, firings, versions, input sets, datasets and releases: see `src/ports/documents.ts`.
CREATE TABLE documents (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  revision INTEGER NOT NULL,
  changed_at REAL NOT NULL,
  body TEXT NOT NULL,
  sum INTEGER,
  PRIMARY KEY (kind, name)
) WITHOUT ROWID;
