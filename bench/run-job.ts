import { join } from "node:path";
import { writeInputs } from "./inputs-csv.ts";
import { DEFAULT_MEMORY_MB, workerFlags } from "../src/worker/worker-process.ts";
import { runChild } from "./run-child.ts";
import type { LoadTask, Loaded } from "./runs/load-job.ts";
import type { WorkTask, Worked } from "./runs/work-job.ts";

export interface JobRun {
  readonly folder: string;
  readonly origin: string;
  readonly scraper: string;
  readonly items: number;
  readonly env?: Readonly<Record<string, string>>;
}

const MINUTE_MS = 60_000;
const JOB = "bench";

/** Loads a job in one process and runs it in another, as the CLI does. */
export const runJob = async ({ folder, origin, scraper, items, env }: JobRun): Promise<Worked> => {
  const csv = join(folder, "inputs.csv");
  const data = join(folder, "data");
  writeInputs(csv, items, "rising");
  const options = { env: { BENCH_SITE: origin, ...env }, timeoutMs: 60 * MINUTE_MS };
  const load: LoadTask = { data, job: JOB, scraper, csv };
  const { accepted } = await runChild<Loaded>(runScript("load-job.ts"), load, options);
  if (accepted !== items) throw new Error(`${accepted} of ${items} inputs were loaded`);
  const work: WorkTask = { data, job: JOB };
  const worked = await runChild<Worked>(runScript("work-job.ts"), work, {
    ...options,
    nodeArgs: workerFlags(DEFAULT_MEMORY_MB),
  });
  if (worked.done !== items) throw new Error(`${worked.done} of ${items} items are done`);
  return worked;
};

export const runScript = (name: string): string => join(import.meta.dirname, "runs", name);
