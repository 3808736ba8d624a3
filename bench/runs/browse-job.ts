/** One worker in one process runs a loaded job of browser items. Returns what the whole process tree used after the warm-up. */
import { setTimeout as delay } from "node:timers/promises";
import { openStorage, work } from "../../src/compose.ts";
import type { JobView } from "../../src/domain/job.ts";
import { treeUsage, type TreeUsage } from "../process-usage.ts";

export interface BrowseTask {
  readonly data: string;
  readonly job: string;
  readonly items: number;
  /** Pages before the measured ones. */
  readonly warmUp: number;
  /** Memory is read each time that so many pages have ended. */
  readonly memoryEvery: number;
}

export interface Browsed {
  readonly pages: number;
  readonly complete: number;
  readonly cpuSeconds: number;
  readonly seconds: number;
  readonly pssMb: number;
  readonly pssMbAt: readonly number[];
}

const LOOK_MS = 20;
/** Reading the ledger costs more than reading a counter, and is counted as Sluice's own time. */
const LEDGER_MS = 200;

const { data, job, items, warmUp, memoryEvery } = JSON.parse(process.argv[2]!) as BrowseTask;
/** Counted by the scraper, which runs in this process. */
const collected = (): number => (globalThis as { collectedPages?: number }).collectedPages ?? 0;

await using storage = await openStorage(data, { isPacing: true });
const controller = new AbortController();
const working = work({
  location: storage.location,
  jobs: [job],
  logLevel: "warn",
  signal: controller.signal,
});
let from: (TreeUsage & { readonly pages: number; readonly at: number }) | undefined;
const pssMbAt: number[] = [];
const look = (): void => {
  const pages = collected();
  if (from === undefined && pages >= warmUp) from = { ...treeUsage(), pages, at: performance.now() };
  if (pages >= (pssMbAt.length + 1) * memoryEvery) pssMbAt.push(treeUsage().pssMb);
};
const looker = setInterval(look, LOOK_MS);
let view: JobView;
for (;;) {
  await Promise.race([delay(collected() < items ? 10 * LEDGER_MS : LEDGER_MS), working]);
  view = (await storage.ledger.readJob(job))!;
  if (view.endedAt !== undefined || view.state === "paused") break;
}
clearInterval(looker);
// Everything is archived and settled; the browser still runs.
const to = treeUsage();
const seconds = (performance.now() - from!.at) / 1_000;
controller.abort();
await working;
const { states } = view.counts;
const browsed: Browsed = {
  pages: states.done - from!.pages,
  complete: states.done - view.partial,
  cpuSeconds: to.cpuSeconds - from!.cpuSeconds,
  seconds,
  pssMb: to.pssMb,
  pssMbAt,
};
console.log(JSON.stringify(browsed));
