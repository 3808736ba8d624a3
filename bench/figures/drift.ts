import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import { type DriftRates, driftRates } from "../drift/drift-rates.ts";
import type { Scenario } from "../drift/histories.ts";
import type { Figure } from "../figure.ts";

const SIZE = { scrapers: 400, fields: 10, weeks: 8 };
const SEED = 20_270_301;

interface Case {
  readonly name: string;
  readonly scenario: Pick<Scenario, "phi" | "seasonSd">;
  readonly mostFalse: number;
  readonly leastFound?: number;
}

const CASES: readonly Case[] = [
  { name: "weeks alike (phi 400)", scenario: { phi: 400 }, mostFalse: 0.001, leastFound: 0.75 },
  { name: "rough weeks (phi 60)", scenario: { phi: 60 }, mostFalse: 0.002 },
  {
    name: "a season that no earlier run had (phi 400, log-odds sd 0.3)",
    scenario: { phi: 400, seasonSd: 0.3 },
    mostFalse: 0.002,
  },
];

/** Findings about made-up histories, of which it is known what is wrong. One round: the same seed gives the same histories. */
export const measureDrift = (_kit: BenchKit, { full }: BenchOptions): Promise<Figure[]> =>
  Promise.resolve(
    CASES.flatMap(({ name, scenario, mostFalse, leastFound }) => {
      const runs = Array.from({ length: full ? 10 : 3 }, (_, at) =>
        driftRates({ ...SIZE, ...scenario, seed: SEED + at }),
      );
      const innocent = sum(runs, "innocent");
      const falseFindings = sum(runs, "falseFindings");
      const drops = driftRates({ ...SIZE, ...scenario, seed: SEED - 1, items: 1000, broken: 0.05 });
      return [
        {
          figure: `drift, ${name}: false findings`,
          value: Math.ceil((falseFindings / innocent) * 1e5) / 1e5,
          unit: "share",
          goal: { atMost: mostFalse },
          rounds: 1,
          from: { fieldRuns: innocent, falseFindings, aboutRuns: sum(runs, "falseOfRuns") },
          note: "findings among the runs of fields in which nothing is wrong; 60 to 20,000 items a week",
        },
        {
          figure: `drift, ${name}: drops found`,
          value: Math.floor((drops.found / drops.broken) * 1e4) / 1e4,
          unit: "share",
          ...(leastFound !== undefined && { goal: { atLeast: leastFound } }),
          rounds: 1,
          from: { drops: drops.broken, found: drops.found, falseFindingsBeside: drops.falseFindings },
          note: "of the fields that lose ten points of their values, in 1,000 items, those found in the first week",
        },
      ] as const;
    }),
  );

const sum = (runs: readonly DriftRates[], of: keyof DriftRates): number =>
  runs.reduce((all, run) => all + run[of], 0);
