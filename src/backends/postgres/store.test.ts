import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { newDatabase, noPostgres, sharedPostgres } from "../../../test/kits/postgres.ts";
import { rowFigures } from "../../../test/kits/postgres-rows.ts";
import type { Result } from "../../ledger/records.ts";
import { newShare } from "../../ledger/shares.ts";
import { type Transaction, want } from "../../ledger/transaction.ts";
import { ledgerVerbs } from "../../ledger/verbs.ts";
import type { ClaimedItem, Ledger } from "../../ports/ledger.ts";
import { failed, SimWorker } from "../../ports/ledger-suite/sim-worker.ts";
import { jobSpec, keysOf, planned } from "../../ports/ledger-suite/test-kit.ts";
import { migrate } from "./migrate.ts";
import { openPostgres } from "./open.ts";
import { openPool, type PgPool } from "./pool.ts";
import { postgresStore } from "./store.ts";

const ITEMS = 5_000;
const CLAIM = 50;
const SETTLE = 100;

test(
  "items and results leave no dead rows, and other updates stay on their page",
  { skip: noPostgres },
  async (t) => {
    const url = await newDatabase(t);
    const ledger = await openPostgres(url);
    await ledger.createJob(jobSpec("job"));
    await ledger.addItems("job", planned(keysOf(ITEMS)), []);
    await ledger.sealJob("job");
    const workers = ["w1", "w2", "w3", "w4"].map((name) => new SimWorker(name, ledger, Date.now));
    for (let settled = 0; settled < ITEMS; settled += workers.length * SETTLE)
      for (const worker of workers) {
        const claimed = [...(await worker.claim(CLAIM)).items, ...(await worker.claim(SETTLE - CLAIM)).items];
        await worker.pulse();
        await worker.settle(claimed);
      }
    assert.equal((await ledger.readJob("job"))!.counts.states.done, ITEMS);
    await ledger.close();
    const { deadShare, hotShare, tables } = await rowFigures(
      await sharedPostgres(),
      new URL(url).pathname.slice(1),
    );
    assert.equal(tables["results"]!.live, ITEMS);
    assert.ok(deadShare <= 0.01, JSON.stringify(tables));
    assert.ok(hotShare >= 0.95, JSON.stringify(tables));
  },
);

/** A pool of an empty ledger that counts round trips: queries that are sent while none is under way. */
const countingPool = async (t: TestContext) => {
  const pool = await openPool(await newDatabase(t));
  t.after(() => pool.close());
  await migrate(pool);
  const counts = { trips: 0 };
  let open = 0;
  const counting: PgPool = {
    ...pool,
    withConnection: (work) =>
      pool.withConnection((connection) =>
        work({
          query: async (text, values) => {
            if (open++ === 0) counts.trips++;
            try {
              return await connection.query(text, values);
            } finally {
              open--;
            }
          },
        }),
      ),
  };
  return { pool: counting, counts };
};

test(
  "a claim that takes as many of the same queue as the two before needs two round trips",
  { skip: noPostgres },
  async (t) => {
    const { pool, counts } = await countingPool(t);
    const ledger = ledgerVerbs(postgresStore(pool));
    await ledger.createJob(jobSpec("job"));
    await ledger.addItems("job", planned(keysOf(60)), []);
    const claim = async (room: number): Promise<string> => {
      counts.trips = 0;
      const { items } = await ledger.claim({ worker: "w", room, inFlight: new Map() });
      return `${items[0]!.key}-${items.at(-1)!.key} ${items.length} ${counts.trips}`;
    };
    await claim(10);
    assert.equal(await claim(10), "k10-k19 10 3");
    assert.equal(await claim(10), "k20-k29 10 2");
    assert.equal(await claim(10), "k30-k39 10 2");
    assert.equal(await claim(5), "k40-k44 5 3");
    assert.equal(await claim(20), "k45-k59 15 3");
  },
);

const resultWith = (quality: Result["quality"]): Result => ({
  queue: 1,
  seq: 1,
  state: "done",
  attempts: 1,
  endedAt: 1,
  quality,
  skipped: null,
  change: null,
  failure: null,
  captures: [],
  records: null,
  attempt: [1, 2, 3, 4, "w", null, 1],
  revision: 0,
});

/** Enough results for writing them before the turn is taken. */
const MANY = 1_000;

for (const [appends, when] of [
  [1, "in the turn"],
  [MANY, "before the turn"],
] as const)
  test(`a result that counts as new and is there is replaced, ${when}`, { skip: noPostgres }, async (t) => {
    const { pool } = await countingPool(t);
    const store = postgresStore(pool);
    for (const quality of ["partial", "complete"] as const)
      await store.transact([], (tx) => tx.append("result", resultWith(quality)), true, appends);
    const stored = await store.read([], (tx) => tx.list("result", 1, 1));
    assert.deepEqual(stored, [resultWith("complete")]);
  });

test(
  "results that were written before the turn are not kept if the rule has others in its turn",
  { skip: noPostgres },
  async (t) => {
    const { pool } = await countingPool(t);
    const store = postgresStore(pool);
    /** Between the try and the turn, another process is first. */
    const interrupted: PgPool = {
      ...pool,
      withConnection: (work) =>
        pool.withConnection((connection) => {
          let before: Promise<unknown> = Promise.resolve();
          return work({
            query: (text, values) => {
              const isFirst = text.startsWith("INSERT INTO results") && tries.length === 1;
              const answer = before.then(async () => {
                if (isFirst) await store.transact([], (tx) => tx.put("share", newShare(7, "c")));
                return await connection.query(text, values);
              });
              before = answer.catch(() => undefined);
              return answer;
            },
          });
        }),
    };
    const tries: boolean[] = [];
    const settle = (tx: Transaction): void => {
      const isTaken = tx.one("share", 7, "c") !== undefined;
      tries.push(isTaken);
      if (!isTaken) tx.append("result", resultWith("complete"));
    };
    await postgresStore(interrupted).transact([want("share", 7, "c")], settle, true, MANY);
    assert.deepEqual(tries, [false, true, true]);
    const stored = await store.read([], (tx) => tx.list("result", 1, 1));
    assert.deepEqual(stored, []);
  },
);

test(
  "a clock that is set back between the try and the turn moves times, and nothing is written twice",
  { skip: noPostgres },
  async (t) => {
    const { pool } = await countingPool(t);
    let now = 2_000_000_000_000;
    const store = postgresStore(pool, { now: () => now });
    await store.transact([], (tx) => tx.put("share", { ...newShare(7, "c"), readyAt: now }));
    const runs: number[] = [];
    const settle = (tx: Transaction): void => {
      runs.push(tx.now);
      if (runs.length === 1) now -= 3_600_000;
      tx.append("result", resultWith("complete"));
    };
    await store.transact([], settle, true, MANY);
    const [stored, share] = await store.read(
      [],
      (tx) => [tx.list("result", 1, 1), tx.one("share", 7, "c")!] as const,
    );
    assert.deepEqual(stored, [resultWith("complete")]);
    assert.equal(share.readyAt, now);
    assert.equal(runs.at(-1), now);
  },
);

test(
  "a claim takes at most 4 round trips, a pulse 3, a settle 4 and an addition of 2,000 items 4, with any number of lanes",
  { skip: noPostgres },
  async (t) => {
    const { pool, counts } = await countingPool(t);
    const ledger = ledgerVerbs(postgresStore(pool));
    const worker = new SimWorker("w", ledger as Ledger, Date.now);
    const trips = async (work: () => Promise<unknown>): Promise<number> => {
      counts.trips = 0;
      await work();
      return counts.trips;
    };
    for (const lanes of [1, 20, 200]) {
      const job = `job ${lanes}`;
      const pace = { perSecond: 1000, burst: 10, concurrency: 1000 };
      await ledger.createJob(jobSpec(job, { pace }));
      // The first time, what never changes of a job is loaded, too.
      await ledger.addItems(job, planned(["first"], `${lanes} first`), []);
      const items = keysOf(2000).flatMap((key, i) => planned([key], `${lanes} lane ${i % lanes}`));
      const add = await trips(() => ledger.addItems(job, items, []));
      let claimed: readonly ClaimedItem[] = [];
      const claim = await trips(async () => (claimed = (await worker.claim(500)).items));
      assert.ok(claimed.length >= Math.min(lanes, 100), `${claimed.length} claimed`);
      const told = claimed.map(({ queue }) => ({ queue, result: "done", attempt: 1, missing: [] }) as const);
      const wishes = claimed.slice(0, lanes).map(({ lane, queue }) => ({ lane, queue, count: 2 }));
      const used = [...new Set(claimed.map(({ lane }) => lane))].map((lane) => ({ lane, requests: 3 }));
      const pulse = await trips(() => worker.pulse({ outcomes: told, wishes, used }));
      const half = claimed.length / 2;
      const settle = await trips(() => worker.settle(claimed.slice(half)));
      const fail = await trips(() => worker.settle(claimed.slice(0, half), failed("timeout")));
      assert.ok(
        claim <= 4 && pulse <= 3 && settle <= 4 && fail <= 4 && add <= 4,
        JSON.stringify({ lanes, claim, pulse, settle, fail, add }),
      );
      t.diagnostic(JSON.stringify({ lanes, items: claimed.length, claim, pulse, settle, fail, add }));
      await ledger.controlJob(job, "cancel");
    }
  },
);
