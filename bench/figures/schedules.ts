import { killControllers } from "../../src/services/testing/kill-controllers.ts";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";

/** Two minutes of three controllers on a clock 600 times as fast, killed at random. */
export const measureSchedules = async (_kit: BenchKit, { full }: BenchOptions): Promise<Figure[]> => {
  const { kills, times, states, wrong, wrongJobs } = await killControllers(full ? 600 : 120);
  return [
    {
      figure: "schedules, three controllers killed at random: times without exactly one firing",
      value: wrong.length + wrongJobs.length,
      unit: "items",
      goal: { atMost: 0 },
      rounds: 1,
      from: { kills, times, ...states },
      note: "a schedule of every ten minutes, on a clock 600 times as fast; jobs that are not the job of one firing, or do not have exactly their inputs, count as well",
    },
  ];
};
