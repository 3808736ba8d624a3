/**
 * A job may go on with changed scrapers. `jobs.revision` counts how often it has; its spec has the versions of each revision. `results.revision`
 * is the one in which the result was made. `jobs.reopened_at` is when items that had ended were last put back or amended.
 */
export const versions = `
ALTER TABLE jobs ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN reopened_at REAL;
ALTER TABLE results ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
`;
