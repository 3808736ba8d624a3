/** What a job's keys are hashed with; null for jobs whose keys were hashed without. */
export const keySeed = `
ALTER TABLE jobs ADD COLUMN key_seed INTEGER;
`;
