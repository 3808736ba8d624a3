/** How far the wall clock was ahead of the machine's steady one, and which start of the machine that was: see `clock-step.ts`. */
export const clock = `
ALTER TABLE service ADD COLUMN boot TEXT NOT NULL DEFAULT '';
ALTER TABLE service ADD COLUMN ahead_ms REAL NOT NULL DEFAULT 0;
`;
