/** The cost of one claim on several PostgreSQL databases, claim by claim in turns. */
import { openPostgres } from "../../src/backends/postgres/open.ts";
import type { Ledger } from "../../src/ports/ledger.ts";
import { settledPage } from "../settled-page.ts";
import { spreadOf } from "../spread.ts";

export interface ClaimsTask {
  readonly urls: readonly string[];
  /** Items of each claim. */
  readonly room: number;
  readonly claims: number;
}

export interface ClaimsRun {
  /** Medians, in the order of the databases. */
  readonly ms: readonly number[];
}

const WARM_UP = 20;

const { urls, room, claims } = JSON.parse(process.argv[2]!) as ClaimsTask;
const worker = `bench-${process.pid}`;

/** Settles the claimed items, outside of the measured time. */
const timedClaim = async (ledger: Ledger): Promise<number> => {
  const from = performance.now();
  const { items } = await ledger.claim({ worker, room, inFlight: new Map() });
  const ms = performance.now() - from;
  if (items.length !== room) throw new Error(`a claim of ${room} gave ${items.length}`);
  await ledger.settle(worker, items.map(settledPage));
  return ms;
};

const ledgers = await Promise.all(urls.map((url) => openPostgres(url)));
const times = ledgers.map(() => [] as number[]);
for (let n = 0; n < WARM_UP + claims; n++) {
  const turns = [...ledgers.entries()];
  for (const [at, ledger] of n % 2 === 0 ? turns : turns.toReversed()) {
    const ms = await timedClaim(ledger);
    if (n >= WARM_UP) times[at]!.push(ms);
  }
}
for (const ledger of ledgers) {
  await ledger.reap({ worker }); // the next process must not share the lane with this one
  await ledger.close();
}
console.log(JSON.stringify({ ms: times.map((some) => spreadOf(some).median) } satisfies ClaimsRun));
