/**
 * What workers have told of their work, summed over all that there ever were. `queues.kinds` says how the items of its job are run, a bit for
 * each of COLLECTOR_KINDS in their order (1 is `http`); `worker_cards.kinds` what a worker takes, all when null.
 */
export const work = `
CREATE TABLE work_sums (name TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID;
ALTER TABLE queues ADD COLUMN kinds INTEGER NOT NULL DEFAULT 1;
ALTER TABLE worker_cards ADD COLUMN kinds INTEGER;
`;
