/**
 * A job may go on with changed scrapers. `jobs.revision` counts how often it has; its spec has the versions of each revision. `results.revision`
 * is the one in which the result was made.
 */
export const versions = `
ALTER TABLE jobs ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE results ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
`;
