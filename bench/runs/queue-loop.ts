/** Claims and settles a whole job on the SQLite ledger with every commit synced to disk. Returns items per second. */
import { join } from "node:path";
import type { ClaimedItem } from "../../src/ports/ledger.ts";
import { openSqlite } from "../../src/backends/sqlite/open.ts";
import { settledPage } from "../settled-page.ts";
import { queueItems, queueJob } from "../queue-job.ts";

export interface QueueTask {
  readonly folder: string;
  readonly items: number;
}

export interface QueueRun {
  readonly items: number;
  readonly perSecond: number;
  readonly loadedPerSecond: number;
  readonly maxRssMb: number;
}

/** As a worker does: up to 200 items in flight at once, up to 500 ends in one settle. */
const CLAIM = 200;
const SETTLE = 500;
const ADD = 20_000;
const WORKER = "bench-worker";

const { folder, items } = JSON.parse(process.argv[2]!) as QueueTask;
const ledger = await openSqlite(join(folder, "ledger.db"), { alwaysSync: true });
await ledger.createJob(queueJob("bench"));
const loadFrom = performance.now();
for (let from = 0; from < items; from += ADD)
  await ledger.addItems("bench", queueItems(from, Math.min(items, from + ADD)), []);
await ledger.sealJob("bench");
const loadedAt = performance.now();

let settled = 0;
let inFlight: ClaimedItem[] = [];
const settle = async (count: number): Promise<void> => {
  const batch = inFlight.slice(0, count);
  inFlight = inFlight.slice(count);
  const { refused } = await ledger.settle(WORKER, batch.map(settledPage));
  if (refused.length > 0) throw new Error(`${refused.length} settles were refused`);
  settled += batch.length;
};
const startedAt = performance.now();
for (;;) {
  // Items whose requests have ended do not count against the lane, settled or not.
  const grant = await ledger.claim({ worker: WORKER, room: CLAIM, inFlight: new Map() });
  if (grant.items.length === 0) break;
  inFlight.push(...grant.items);
  if (inFlight.length >= SETTLE) await settle(SETTLE);
}
while (inFlight.length > 0) await settle(SETTLE);
const seconds = (performance.now() - startedAt) / 1_000;
const view = await ledger.readJob("bench");
if (settled !== items || view?.state !== "done" || view.counts.states.done !== items)
  throw new Error(`${settled} of ${items} settled, the job is ${view?.state}`);
await ledger.close();
const run: QueueRun = {
  items,
  perSecond: items / seconds,
  loadedPerSecond: items / ((loadedAt - loadFrom) / 1_000),
  maxRssMb: process.resourceUsage().maxRSS / 1_024,
};
console.log(JSON.stringify(run));
