/** One worker in one process runs a loaded job to its end. Returns how fast it was, how large it grew, and what it stored. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openStorage, work } from "../../src/compose.ts";
import type { JobView } from "../../src/domain/job.ts";

export interface WorkTask {
  readonly data: string;
  readonly job: string;
}

export interface Worked {
  readonly seconds: number;
  readonly done: number;
  readonly complete: number;
  /** Fields with a value, over all records. */
  readonly present: number;
  readonly archived: number;
  readonly recorded: number;
  readonly cpuSeconds: number;
  readonly maxRssMb: number;
  /** RSS when a tenth of the items was done, and at the end. */
  readonly rssMbAtTenth: number;
  readonly rssMbAtEnd: number;
}

const LOOK_MS = 50;

const { data, job } = JSON.parse(process.argv[2]!) as WorkTask;
const rssMb = (): number => process.memoryUsage.rss() / 1_048_576;

const linesIn = (kind: string, ending: string): number => {
  const folder = join(data, "blobs", "jobs", job, kind);
  let lines = 0;
  for (const name of readdirSync(folder))
    if (name.endsWith(ending)) lines += readFileSync(join(folder, name), "latin1").split("\n").length - 1;
  return lines;
};

await using storage = await openStorage(data, { isPacing: true });
const controller = new AbortController();
const cpuBefore = process.cpuUsage();
// Opening the ledger, loading the scraper and starting the archive's thread are part of the time.
const startedAt = Date.now();
const working = work({
  location: storage.location,
  jobs: [job],
  logLevel: "warn",
  signal: controller.signal,
});
let rssMbAtTenth = 0;
let view: JobView;
for (;;) {
  await Promise.race([delay(LOOK_MS), working]);
  view = (await storage.ledger.readJob(job))!;
  const { states, accepted } = view.counts;
  if (rssMbAtTenth === 0 && states.done >= accepted / 10) rssMbAtTenth = rssMb();
  if (view.endedAt !== undefined || view.state === "paused") break;
}
const rssMbAtEnd = rssMb();
const cpu = process.cpuUsage(cpuBefore);
controller.abort();
await working;
const { states } = view.counts;
const worked: Worked = {
  seconds: ((view.endedAt ?? Date.now()) - startedAt) / 1_000,
  done: states.done,
  complete: states.done - view.partial,
  present: view.fieldCounts.filter((_, i) => i % 4 === 0).reduce((sum, count) => sum + count, 0),
  archived: linesIn("captures", ".cdxj"),
  recorded: linesIn("records", ".jsonl"),
  cpuSeconds: (cpu.user + cpu.system) / 1e6,
  maxRssMb: process.resourceUsage().maxRSS / 1_024,
  rssMbAtTenth,
  rssMbAtEnd,
};
console.log(JSON.stringify(worked));
