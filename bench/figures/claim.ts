import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { runChild } from "../run-child.ts";
import { runScript } from "../run-job.ts";
import type { ClaimCost, ClaimCostTask } from "../runs/claim-cost.ts";
import { rounded, spreadOf } from "../spread.ts";

const FEW = 10_000;
const MANY = 1_000_000;

/** Flat cost: the cost of a claim must not depend on the backlog. */
export const measureClaim = async (kit: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> => {
  const costs: ClaimCost[] = [];
  for (let round = 0; round < rounds; round++)
    costs.push(
      await kit.inFolder((folder) =>
        runChild<ClaimCost>(runScript("claim-cost.ts"), {
          folder,
          few: FEW,
          many: MANY,
        } satisfies ClaimCostTask),
      ),
    );
  return [
    {
      figure: "claim at 1,000,000 ÷ at 10,000 items",
      value: rounded(spreadOf(costs.map(({ manyMicros, fewMicros }) => manyMicros / fewMicros)).median),
      unit: "ratio",
      goal: { atMost: 1.3 },
      rounds,
      from: {
        claimsARound: costs[0]!.claims,
        at10000: { medianMicros: spreadOf(costs.map((cost) => cost.fewMicros)) },
        at1000000: { medianMicros: spreadOf(costs.map((cost) => cost.manyMicros)) },
      },
      note: "cost ÷ cost: less is better; claims of 20 items in turns on two ledgers, opened as workers open them",
    },
  ];
};
