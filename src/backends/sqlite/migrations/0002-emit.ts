/**
 * Items of several scrapers in one job. `scraper` is the place among the job's scrapers, `depth` counts the steps from an input
 * that was given; the parent is named by its place, which keeps the row small however long its key is.
 */
export const emit = `
ALTER TABLE items ADD COLUMN scraper INTEGER NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN parent_queue INTEGER;
ALTER TABLE items ADD COLUMN parent_seq INTEGER;
ALTER TABLE jobs ADD COLUMN too_deep INTEGER NOT NULL DEFAULT 0;
`;
