/** The cost of one claim with few and with many items behind it, claim by claim in turns, as a worker's ledger is opened. */
import { join } from "node:path";
import { openSqlite } from "../../src/backends/sqlite/open.ts";
import type { Ledger } from "../../src/ports/ledger.ts";
import { queueItems, queueJob } from "../queue-job.ts";
import { settledPage } from "../settled-page.ts";
import { spreadOf } from "../spread.ts";

export interface ClaimCostTask {
  readonly folder: string;
  readonly few: number;
  readonly many: number;
}

export interface ClaimCost {
  readonly fewMicros: number;
  readonly manyMicros: number;
  readonly claims: number;
}

const WORKER = "bench-worker";
const ROOM = 20;
const WARM_UP = 50;
const CLAIMS = 400;
const ADD = 20_000;

const { folder, few, many } = JSON.parse(process.argv[2]!) as ClaimCostTask;

const loaded = async (items: number): Promise<Ledger> => {
  const ledger = await openSqlite(join(folder, `${items}.db`));
  await ledger.createJob(queueJob("bench"));
  for (let from = 0; from < items; from += ADD)
    await ledger.addItems("bench", queueItems(from, Math.min(items, from + ADD)), []);
  await ledger.sealJob("bench");
  return ledger;
};

/** Settles the claimed items, outside of the measured time. */
const timedClaim = async (ledger: Ledger): Promise<number> => {
  const from = performance.now();
  const { items } = await ledger.claim({ worker: WORKER, room: ROOM, inFlight: new Map() });
  const ms = performance.now() - from;
  if (items.length !== ROOM) throw new Error(`a claim of ${ROOM} gave ${items.length}`);
  await ledger.settle(WORKER, items.map(settledPage));
  return ms;
};

const ledgers = { few: await loaded(few), many: await loaded(many) };
const micros = { few: [] as number[], many: [] as number[] };
for (let n = 0; n < WARM_UP + CLAIMS; n++) {
  for (const size of n % 2 === 0 ? (["few", "many"] as const) : (["many", "few"] as const)) {
    const ms = await timedClaim(ledgers[size]);
    if (n >= WARM_UP) micros[size].push(ms * 1_000);
  }
}
await ledgers.few.close();
await ledgers.many.close();
const cost: ClaimCost = {
  fewMicros: spreadOf(micros.few).median,
  manyMicros: spreadOf(micros.many).median,
  claims: CLAIMS,
};
console.log(JSON.stringify(cost));
