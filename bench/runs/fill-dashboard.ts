/** Fills the ledger of a data folder with what the pages of the dashboard are measured with: a large job, and one with many lanes. */
import { join } from "node:path";
import { openSqlite } from "../../src/backends/sqlite/open.ts";
import type { Outcome } from "../../src/domain/item.ts";
import type { Ledger, PlannedItem } from "../../src/ports/ledger.ts";
import { queueItems, queueJob } from "../queue-job.ts";
import { settledPage } from "../settled-page.ts";

export interface FillDashboardTask {
  readonly data: string;
  readonly items: number;
  readonly lanes: number;
}

const WORKER = "bench-worker";
const ADD = 20_000;
const CLAIM = 1_000;
/** Of the items that are settled; so many of the large job's stay in the queue. */
const SETTLED = 0.7;

const add = async (ledger: Ledger, job: string, items: readonly PlannedItem[]): Promise<void> => {
  await ledger.createJob({ ...queueJob(job), client: "local" });
  for (let from = 0; from < items.length; from += ADD)
    await ledger.addItems(job, items.slice(from, from + ADD), []);
};

/** One in ten fails, by one of two kinds, and one in twenty is partial. */
const outcomeOf = (n: number): Outcome =>
  n % 10 === 7
    ? { state: "failed", failure: { kind: n % 20 === 7 ? "blocked" : "timeout", detail: "no answer" } }
    : { state: "done", quality: n % 20 === 8 ? "partial" : "complete" };

const settle = async (ledger: Ledger, job: string, count: number): Promise<void> => {
  const claim = { worker: WORKER, room: CLAIM, inFlight: new Map(), jobs: [job] };
  for (let settled = 0; settled < count; settled += CLAIM) {
    const { items } = await ledger.claim(claim);
    await ledger.settle(
      WORKER,
      items.map((item, n) => ({ ...settledPage(item), outcome: outcomeOf(n) })),
    );
  }
};

const { data, items, lanes } = JSON.parse(process.argv[2]!) as FillDashboardTask;
const ledger = await openSqlite(join(data, "sluice.db"), { cacheMb: 64 });
const inLanes = Math.min(items, 2 * lanes);
const large = items - inLanes;
await add(ledger, "large", queueItems(0, large));
await settle(ledger, "large", large * SETTLED);
await add(
  ledger,
  "wide",
  queueItems(large, items).map((item, n) => ({ ...item, lane: `host-${n % lanes}.example` })),
);
await ledger.close();
console.log(JSON.stringify({}));
