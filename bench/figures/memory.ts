import { join } from "node:path";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { runJob } from "../run-job.ts";
import type { Worked } from "../runs/work-job.ts";
import { rounded, spreadOf } from "../spread.ts";

const SHORT = 100_000;
const LONG = 1_000_000;

/** How large a worker grows over a long job of tiny pages, and whether it keeps growing. */
export const measureMemory = async (kit: BenchKit, { rounds, full }: BenchOptions): Promise<Figure[]> => {
  const items = full ? LONG : SHORT;
  const times = full ? 1 : rounds;
  const { origin } = await kit.site();
  const runs: Worked[] = [];
  for (let n = 0; n < times; n++)
    runs.push(
      await kit.inFolder((folder) =>
        runJob({ folder, origin, scraper: join(import.meta.dirname, "../scrapers/tiny.ts"), items }),
      ),
    );
  const from = {
    items,
    maxRssMb: spreadOf(runs.map((run) => run.maxRssMb)),
    rssMbAtTenth: spreadOf(runs.map((run) => run.rssMbAtTenth)),
    rssMbAtEnd: spreadOf(runs.map((run) => run.rssMbAtEnd)),
    itemsPerSecond: spreadOf(runs.map((run) => items / run.seconds)),
  };
  const count = items.toLocaleString("en-US");
  return [
    {
      figure: `a worker's memory over ${count} items`,
      value: rounded(Math.max(...runs.map((run) => run.maxRssMb))),
      unit: "MB",
      goal: { atMost: 300 },
      rounds: times,
      from,
      note: "largest resident set of the process, the worst of all runs; tiny pages at full speed, all of them archived",
    },
    {
      figure: `memory at the end ÷ after a tenth of ${count} items`,
      value: rounded(spreadOf(runs.map((run) => run.rssMbAtEnd / run.rssMbAtTenth)).median),
      unit: "ratio",
      rounds: times,
      from,
      note: "1 is flat",
    },
  ];
};
