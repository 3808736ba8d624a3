/** Pages of a large job's items by state, from places all over it, and the status of many jobs. Returns how long they take. */
import { join } from "node:path";
import { openSqlite } from "../../src/backends/sqlite/open.ts";
import { ITEM_STATES, type ItemState } from "../../src/domain/item.ts";
import { seededRandom } from "../../src/domain/testing/seeded-random.ts";
import { fillLedger, type LedgerSize, smallJob } from "../large-ledger.ts";
import { percentile } from "../spread.ts";

export interface ListTask extends LedgerSize {
  readonly folder: string;
}

export interface ListRun {
  /** By state; `rare done` where only one of a thousand items is. */
  readonly p99Ms: Readonly<Record<string, number>>;
  readonly statusPerSecond: number;
}

const PAGE = 100;
const PAGES = 300;
const STATUS = 5_000;

const { folder, ...size } = JSON.parse(process.argv[2]!) as ListTask;
const ledger = await openSqlite(join(folder, "ledger.db"));
const random = seededRandom(7);

const p99 = async (job: string, state: ItemState): Promise<number> => {
  const { items: first } = await ledger.listItems(job, { limit: 1 });
  const { queue } = first[0]!.ref;
  const times: number[] = [];
  for (let n = 0; n < PAGES; n++) {
    const after = { queue, seq: Math.floor(random() * size.items) };
    const from = performance.now();
    await ledger.listItems(job, { states: [state], limit: PAGE, after });
    times.push(performance.now() - from);
  }
  return percentile(times, 0.99);
};

await fillLedger(ledger, size);

const p99Ms: Record<string, number> = {};
for (const state of ITEM_STATES) p99Ms[state] = await p99("large", state);
p99Ms["rare done"] = await p99("rare", "done");
await ledger.controlJob("large", "cancel");
p99Ms["cancelled"] = await p99("large", "cancelled");

const from = performance.now();
for (let n = 0; n < STATUS; n++) await ledger.readJob(smallJob(n % size.jobs));
const statusPerSecond = STATUS / ((performance.now() - from) / 1_000);
await ledger.close();
console.log(JSON.stringify({ p99Ms, statusPerSecond } satisfies ListRun));
