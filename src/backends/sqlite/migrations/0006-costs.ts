/** What a worker has spent on items that are not settled, see `unsettled-costs.ts`. */
export const costs = `
ALTER TABLE workers ADD COLUMN unsettled TEXT NOT NULL DEFAULT '[]';
`;
