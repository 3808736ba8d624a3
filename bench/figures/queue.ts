import { join } from "node:path";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { writeInputs } from "../inputs-csv.ts";
import { runChild } from "../run-child.ts";
import { runScript } from "../run-job.ts";
import type { QueueRun, QueueTask } from "../runs/queue-loop.ts";
import type { RawQueueRun, RawQueueTask } from "../runs/raw-queue.ts";
import { rounded, spreadOf } from "../spread.ts";

const ITEMS = 1_000_000;

/** Claims and settles a million items with every commit synced, compared with a bare SQLite table. */
export const measureQueue = async (kit: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> => {
  const own: number[] = [];
  const raw: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const run = await kit.inFolder((folder) =>
      runChild<QueueRun>(runScript("queue-loop.ts"), { folder, items: ITEMS } satisfies QueueTask),
    );
    own.push(run.perSecond);
    raw.push((await rawQueue(kit)).perSecond);
  }
  const from = { sluice: { itemsPerSecond: spreadOf(own) }, rawSqlite: { itemsPerSecond: spreadOf(raw) } };
  return [
    {
      figure: "claim + settle at 1,000,000 items",
      value: spreadOf(own).median,
      unit: "items/s",
      goal: { atLeast: 40_000 },
      rounds,
      from,
      note: "synchronous=FULL at every commit; claims of 200 and settles of 500, each item with a capture, a record and its field counts",
    },
    {
      figure: "claim + settle ÷ bare SQLite",
      value: rounded(spreadOf(own).median / spreadOf(raw).median),
      unit: "ratio",
      rounds,
      from,
      note: "the bare table has no lanes, results or tallies, and settles by one range update",
    },
  ];
};

/** Also the limit for loading: it reads the same CSV file as Sluice. */
export const rawQueue = (kit: BenchKit): Promise<RawQueueRun> =>
  kit.inFolder((folder) => {
    const csv = join(folder, "inputs.csv");
    writeInputs(csv, ITEMS, "scattered");
    return runChild<RawQueueRun>(runScript("raw-queue.ts"), { folder, csv } satisfies RawQueueTask);
  });
