import { parseArgs } from "node:util";

export const FIGURE_NAMES = [
  "pipeline",
  "matcher",
  "queue",
  "postgres",
  "claim",
  "calls",
  "lists",
  "load",
  "upload",
  "api",
  "dashboard",
  "memory",
  "first-request",
  "extract",
  "judgement",
  "drift",
  "schedules",
  "versions",
  "distill",
  "browser",
  "proxy",
] as const;
export type FigureName = (typeof FIGURE_NAMES)[number];

export interface BenchOptions {
  readonly only: readonly FigureName[];
  /** Number of runs of each program, in turns with the others. */
  readonly rounds: number;
  /** A million items instead of a hundred thousand. */
  readonly full: boolean;
  /** Put the figures into docs/bench.md; the others there stay. */
  readonly write: boolean;
}

export const USAGE = `npm run bench -- [--only ${FIGURE_NAMES.join(",")}] [--rounds 3] [--full] [--write]`;

export const readOptions = (args: readonly string[]): BenchOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", default: FIGURE_NAMES.join(",") },
      rounds: { type: "string", default: "3" },
      full: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
    },
  });
  const only = values.only.split(",").map((name) => {
    const known = FIGURE_NAMES.find((figure) => figure === name.trim());
    if (known === undefined) throw new Error(`--only ${name}: no such figure. ${USAGE}`);
    return known;
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds ${values.rounds}: not a count. ${USAGE}`);
  return { only, rounds, full: values.full, write: values.write };
};
