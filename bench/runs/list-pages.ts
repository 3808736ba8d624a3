/** Pages of a large job's items by state, from places all over it, and the status of many jobs. Answers the times they take. */
import { join } from "node:path";
import { openSqlite } from "../../src/backends/sqlite/open.ts";
import { ITEM_STATES, type ItemState, type Outcome } from "../../src/model/item.ts";
import { seededRandom } from "../../src/model/seeded-random.ts";
import { queueItems, queueJob } from "../queue-job.ts";
import { settledPage } from "../settled-page.ts";

export interface ListTask {
  readonly folder: string;
  readonly items: number;
  /** Beside the large one, each with a tenth of its items. */
  readonly jobs: number;
}

export interface ListRun {
  /** By state; `rare done` where only one of a thousand items is. */
  readonly p99Ms: Readonly<Record<string, number>>;
  readonly statusPerSecond: number;
}

const WORKER = "bench-worker";
const ADD = 20_000;
const CLAIM = 1_000;
const PAGE = 100;
const PAGES = 300;
const STATUS = 5_000;

const { folder, items, jobs } = JSON.parse(process.argv[2]!) as ListTask;
const ledger = await openSqlite(join(folder, "ledger.db"));
const random = seededRandom(7);

const load = async (job: string, count: number): Promise<void> => {
  await ledger.createJob(queueJob(job));
  for (let from = 0; from < count; from += ADD)
    await ledger.addItems(job, queueItems(from, Math.min(count, from + ADD)), []);
};

/** Settles so many, each as `outcomeOf` says; the last thousand stay in hand. */
const work = async (job: string, count: number, outcomeOf: () => Outcome): Promise<void> => {
  for (let settled = 0; settled < count; settled += CLAIM) {
    const { items: claimed } = await ledger.claim({
      worker: WORKER,
      room: CLAIM,
      inHand: new Map(),
      jobs: [job],
    });
    await ledger.settle(
      WORKER,
      claimed.map((item) => ({ ...settledPage(item), outcome: outcomeOf() })),
    );
  }
  await ledger.claim({ worker: WORKER, room: CLAIM, inHand: new Map(), jobs: [job] });
};

const failure = { kind: "timeout", detail: "no answer within 30 s" } as const;
const usual = (): Outcome => {
  const at = random();
  if (at < 0.001) return { state: "failed", failure };
  if (at < 0.002) return { state: "waiting", delayMs: 3_600_000, failure, countsAttempt: true };
  if (at < 0.003) return { state: "skipped", reason: "unchanged" };
  return at < 0.01 ? { state: "absent", detail: "none" } : { state: "done", quality: "complete" };
};
const rarely = (): Outcome =>
  random() < 0.001 ? { state: "done", quality: "complete" } : { state: "absent", detail: "none" };

const p99 = async (job: string, state: ItemState): Promise<number> => {
  const { items: first } = await ledger.listItems(job, { limit: 1 });
  const { queue } = first[0]!.ref;
  const times: number[] = [];
  for (let n = 0; n < PAGES; n++) {
    const after = { queue, seq: Math.floor(random() * items) };
    const from = performance.now();
    await ledger.listItems(job, { states: [state], limit: PAGE, after });
    times.push(performance.now() - from);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(PAGES * 0.99)]!;
};

await load("large", items);
await work("large", items * 0.7, usual);
await load("rare", items);
await work("rare", items * 0.9, rarely);
for (let n = 0; n < jobs; n++) await load(`job-${n}`, items / 10);

const p99Ms: Record<string, number> = {};
for (const state of ITEM_STATES) p99Ms[state] = await p99("large", state);
p99Ms["rare done"] = await p99("rare", "done");
await ledger.steerJob("large", "cancel");
p99Ms["cancelled"] = await p99("large", "cancelled");

const from = performance.now();
for (let n = 0; n < STATUS; n++) await ledger.readJob(`job-${n % jobs}`);
const statusPerSecond = STATUS / ((performance.now() - from) / 1_000);
await ledger.close();
console.log(JSON.stringify({ p99Ms, statusPerSecond } satisfies ListRun));
