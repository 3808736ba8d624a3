-- Schedules, firings, versions, input sets, datasets and releases: see `src/ports/documents.ts`.
CREATE TABLE documents (
  kind text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, revision bigint NOT NULL, changed_at double precision NOT NULL,
  body json NOT NULL, sum bigint, PRIMARY KEY (kind, name)
);
