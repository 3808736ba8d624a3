import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { runChild } from "../run-child.ts";
import { runScript } from "../run-job.ts";
import type { ListRun, ListTask } from "../runs/list-pages.ts";
import { spreadOf } from "../spread.ts";

const TASK = { items: 1_000_000, jobs: 100 };

/** The API's most frequent queries: a page of items in some state, anywhere in a large job, and the status of a job. */
export const measureLists = async (kit: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> => {
  const runs: ListRun[] = [];
  for (let round = 0; round < rounds; round++)
    runs.push(
      await kit.inFolder((folder) =>
        runChild<ListRun>(runScript("list-pages.ts"), { folder, ...TASK } satisfies ListTask),
      ),
    );
  const states = Object.keys(runs[0]!.p99Ms);
  const byState = Object.fromEntries(
    states.map((state) => [state, spreadOf(runs.map(({ p99Ms }) => p99Ms[state]!))]),
  );
  return [
    {
      figure: "a page of items by state, at 1,000,000 items",
      value: Math.max(...Object.values(byState).map(({ median }) => median)),
      unit: "ms",
      goal: { atMost: 50 },
      rounds,
      from: { p99Ms: byState },
      note: "the slowest state's 99th percentile; pages of 100 from 300 places all over the job",
    },
    {
      figure: "job status read from the ledger",
      value: spreadOf(runs.map(({ statusPerSecond }) => statusPerSecond)).median,
      unit: "items/s",
      goal: { atLeast: 2_000 },
      rounds,
      from: { jobs: TASK.jobs, itemsAJob: TASK.items / 10 },
      note: "jobs a second, on one core, one after the other",
    },
  ];
};
