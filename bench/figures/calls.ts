import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { runChild } from "../run-child.ts";
import { runScript } from "../run-job.ts";
import type { CallsRun, CallsTask } from "../runs/count-calls.ts";
import { spreadOf } from "../spread.ts";

const SECONDS = 15;
/** The rate that the goal is about. */
const PROMISED = "10/s";
const SHAPES: Readonly<Record<string, Omit<CallsTask, "seconds">>> = {
  idle: { perSecond: 0, concurrency: 8, hops: 1 },
  "2/s": { perSecond: 2, concurrency: 4, hops: 1 },
  [PROMISED]: { perSecond: 10, concurrency: 8, hops: 1 },
  "10/s, three hops": { perSecond: 10, concurrency: 8, hops: 3 },
  "100/s": { perSecond: 100, concurrency: 50, hops: 1 },
};

/** How often one worker on one lane calls the ledger. Over a network every call costs time. */
export const measureCalls = async (_: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> => {
  const runs = new Map(Object.keys(SHAPES).map((name) => [name, [] as CallsRun[]]));
  for (let round = 0; round < rounds; round++)
    for (const [name, shape] of Object.entries(SHAPES))
      runs.get(name)!.push(
        await runChild<CallsRun>(runScript("count-calls.ts"), {
          ...shape,
          seconds: SECONDS,
        } satisfies CallsTask),
      );
  const spreads = (name: keyof CallsRun) =>
    Object.fromEntries([...runs].map(([shape, all]) => [shape, spreadOf(all.map((run) => run[name]))]));
  const figure = (
    name: keyof CallsRun,
    unit: Figure["unit"],
    goal: NonNullable<Figure["goal"]>,
    note: string,
  ): Figure => {
    const from = spreads(name);
    return {
      figure: `${name} at ${PROMISED}`,
      value: from[PROMISED]!.median,
      unit,
      goal,
      rounds,
      from,
      note,
    };
  };
  return [
    {
      ...figure("claims", "calls/s", { atMost: 5 }, "one worker, one lane, a site that answers in 100 ms"),
      from: { claims: spreads("claims"), empty: spreads("emptyClaims") },
    },
    figure("pulses", "calls/s", { atMost: 4 }, "renewal of leases, outcomes, slots for hops"),
    figure("settles", "calls/s", { atMost: 2 }, "one for each segment that was sealed"),
    figure("share", "share", { atLeast: 0.98 }, "requests at the site ÷ the lane's rate"),
  ];
};
