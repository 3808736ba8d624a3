/**
 * Inputs that a limit of their job keeps out. Each has its key and its place, as an item has, so that it is found again by its key and can
 * become an item where it is; `cap` names the limit. `items.chain` counts the steps in a row from a scraper to itself.
 */
export const caps = `
ALTER TABLE items ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;
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
ALTER TABLE jobs ADD COLUMN capped_chain INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN capped_budget INTEGER NOT NULL DEFAULT 0;
`;
