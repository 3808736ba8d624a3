import { join } from "node:path";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { writeInputs } from "../inputs-csv.ts";
import { runChild } from "../run-child.ts";
import { runScript } from "../run-job.ts";
import type { Loaded, LoadTask } from "../runs/load-job.ts";
import { rounded, spreadOf } from "../spread.ts";
import { rawQueue } from "./queue.ts";

const ITEMS = 1_000_000;

/** A million shuffled inputs from a CSV file into the ledger: read, checked, planned and stored. */
export const measureLoad = async (kit: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> => {
  const own: Loaded[] = [];
  const raw: number[] = [];
  for (let round = 0; round < rounds; round++) {
    own.push(await kit.inFolder(loadOnce));
    raw.push((await rawQueue(kit)).loadSeconds);
  }
  const seconds = spreadOf(own.map((run) => run.seconds));
  const from = {
    sluice: { seconds, maxRssMb: spreadOf(own.map((run) => run.maxRssMb)) },
    rawSqlite: { seconds: spreadOf(raw) },
  };
  return [
    {
      figure: "loading 1,000,000 inputs",
      value: seconds.median,
      unit: "s",
      goal: { atMost: 20 },
      rounds,
      from,
      note: "keys in scattered order, from CSV, through the scraper's schema",
    },
    {
      figure: "loading ÷ bare SQLite",
      value: rounded(seconds.median / spreadOf(raw).median),
      unit: "ratio",
      rounds,
      from,
      note: "time ÷ time: less is better; the bare loop splits lines and inserts sorted batches of 20,000",
    },
  ];
};

const loadOnce = async (folder: string): Promise<Loaded> => {
  const csv = join(folder, "inputs.csv");
  writeInputs(csv, ITEMS, "scattered");
  const scraper = join(import.meta.dirname, "../scrapers/property.ts");
  const task: LoadTask = { data: join(folder, "data"), job: "bench", scraper, csv };
  const loaded = await runChild<Loaded>(runScript("load-job.ts"), task);
  if (loaded.accepted !== ITEMS) throw new Error(`${loaded.accepted} of ${ITEMS} inputs were loaded`);
  return loaded;
};
