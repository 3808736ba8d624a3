import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it, type TestContext } from "node:test";
import { ITEM_STATES } from "../../model/item.ts";
import { failed, RETURNED, settlement, waiting } from "../../ports/ledger-suite/sim-worker.ts";
import { jobSpec, keysOf, planned } from "../../ports/ledger-suite/world.ts";
import type { ClaimRequest, PulseReport } from "../../ports/ledger.ts";
import { addItems } from "./add-items.ts";
import { claimItems } from "./claim-items.ts";
import { createJob } from "./create-job.ts";
import { Database } from "./database.ts";
import { listItems } from "./list-items.ts";
import { listJobs } from "./list-jobs.ts";
import { readLanes } from "./list-lanes.ts";
import { pulse } from "./pulse.ts";
import { readJob } from "./read-job.ts";
import { reapWorkers } from "./reap-workers.ts";
import { retryItems } from "./retry-items.ts";
import { settleItems } from "./settle-items.ts";
import { steerJob } from "./steer-job.ts";
import { steerLane } from "./steer-lane.ts";
import { isQuiet } from "./stops.ts";

/** Grow with what is behind a claim; the others (workers, suspects, hands) only with what is under way. */
const LARGE = ["items", "item_keys", "results", "queues", "lanes", "jobs", "turns"];

const BACKLOG = new Set(["items", "item_keys", "results"]);

const open = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-plans-"));
  const file = join(folder, "ledger.db");
  let now = 1_750_000_000_000;
  const db = await Database.open(file, { now: () => now });
  const plans = new DatabaseSync(file);
  t.after(async () => {
    plans.close();
    db.close();
    await rm(folder, { recursive: true });
  });
  const seen = new Set<string>();
  const sql = db.sql.bind(db);
  db.sql = (text) => {
    seen.add(text);
    return sql(text);
  };
  /** The statements that went through while `work` ran and read a whole table, each with its plan. */
  const scans = async (work: () => Promise<unknown>): Promise<string[]> => {
    seen.clear();
    await work();
    assert.ok(seen.size > 0);
    return [...seen].flatMap((text) => scansOf(plans, text).map((detail) => `${detail}: ${text}`));
  };
  const plansOf = async (work: () => Promise<unknown>): Promise<string[]> => {
    seen.clear();
    await work();
    assert.ok(seen.size > 0);
    return [...seen].flatMap((text) => planOf(plans, text));
  };
  return { db, scans, plansOf, pass: (ms: number) => (now += ms) };
};

const scansOf = (plans: DatabaseSync, text: string): string[] => {
  const names = new Map(LARGE.map((table) => [table, table]));
  for (const [, table, alias] of text.matchAll(/\b(?:FROM|JOIN|,) (\w+) (\w+)\b/g))
    if (table && alias && LARGE.includes(table)) names.set(alias, table);
  return planOf(plans, text).filter((detail) => {
    const [, how, table = ""] = /^(SCAN|SEARCH) (\w+)/.exec(detail) ?? [];
    // All items of a queue, or all keys of a job, are as many as a table's.
    const isWide = BACKLOG.has(names.get(table) ?? "") && /PRIMARY KEY \(\w+=\?\)/.test(detail);
    return names.has(table) && (how === "SCAN" || isWide);
  });
};

const planOf = (plans: DatabaseSync, text: string): string[] =>
  (plans.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[]).map(({ detail }) => detail);

const claim = (own: Partial<ClaimRequest> = {}): ClaimRequest => ({
  worker: "w1",
  room: 50,
  inHand: new Map(),
  ...own,
});
const report = (own: Partial<PulseReport>): PulseReport => ({
  worker: "w1",
  running: [],
  unsettled: [],
  acting: [],
  inHand: new Map(),
  wishes: [],
  returned: [],
  refunds: [],
  outcomes: [],
  lanes: [],
  crawlDelays: [],
  ...own,
});

it("knows a scan when it sees one", async (t) => {
  const { db, scans } = await open(t);
  const found = await scans(async () => db.all("SELECT i.key FROM items i WHERE i.state = 5"));
  assert.equal(found.length, 1);
  const wide = await scans(async () => db.all("SELECT min(attempts) FROM items WHERE queue = 1"));
  assert.equal(wide.length, 1);
});

it("no claim, pulse, settle or reap reads a whole table, whatever it meets", async (t) => {
  const { db, scans, pass } = await open(t);
  for (const [id, perSecond] of [
    ["paced", 100],
    ["open", Infinity],
  ] as const) {
    await createJob(db, jobSpec(id, { client: id, pace: { perSecond, burst: 1, concurrency: 100 } }));
    await addItems(db, id, [...planned(keysOf(300), "a.test"), ...planned(keysOf(300, "b"), "b.test")], []);
  }
  const found = await scans(async () => {
    const { items } = await claimItems(db, claim());
    const [first, second, third, fourth] = items;
    assert.ok(first && second && third && fourth);
    const inHand = new Map([["a.test", 40]]);
    const { lane, queue } = first;
    const lanes = [{ lane, kind: "rate-limited", count: 1, retryAfterMs: 5 }] as const;
    const outcomes = Array.from({ length: 30 }, () => ({ queue, result: "blocked", attempt: 1 }) as const);
    await pulse(
      db,
      report({
        running: items,
        acting: [fourth],
        inHand,
        wishes: [{ lane, queue, count: 2 }],
        refunds: [{ lane, queue, count: 1 }],
        lanes,
        outcomes,
      }),
    );
    await settleItems(db, "w1", [
      settlement(first, waiting(0)),
      settlement(second, RETURNED, { attempt: { startedAt: 0, ms: 0, requests: 0, bytes: 0 } }),
      settlement(third, failed("timeout"), { emitted: planned(["new"]) }),
    ]);
    pass(61_000);
    await claimItems(db, claim({ worker: "w2", jobs: ["paced"] }));
    await claimItems(db, claim({ worker: "w3" }));
    await claimItems(db, claim({ worker: "alone", alone: true }));
    await reapWorkers(db, { worker: "alone", cause: { blame: "scraper", detail: "gone" } });
    await readJob(db, "paced");
  });
  assert.deepEqual(found, []);
});

it("no list, status or steering reads a whole table", async (t) => {
  const { db, scans } = await open(t);
  for (const id of ["one", "two"]) {
    await createJob(db, jobSpec(id, { client: id, labels: { team: id } }));
    await addItems(db, id, planned(keysOf(300), "a.test"), []);
  }
  const { items } = await claimItems(db, claim());
  await settleItems(
    db,
    "w1",
    items.slice(0, 20).map((item, i) => settlement(item, i % 2 ? waiting(0) : failed("timeout"))),
  );
  const found = await scans(async () => {
    for (const state of ITEM_STATES)
      if (state !== "done") await listItems(db, "one", { states: [state], limit: 9 });
    await listItems(db, "one", { kinds: ["timeout"], limit: 9 });
    await listItems(db, "one", { keys: ["k1", "none"], limit: 9 });
    await listJobs(db, { client: "one", limit: 9 });
    await listJobs(db, { label: ["team", "one"], limit: 9 });
    await readJob(db, "one");
    await readLanes(db, { limit: 9 });
    await isQuiet(db, "one");
    await retryItems(db, "one", { keys: ["k0"] });
    await retryItems(db, "one", { kinds: ["timeout"] });
    await steerLane(db, "a.test", { perSecond: 5 });
    await steerJob(db, "one", "pause");
    await steerJob(db, "one", "resume");
    await steerJob(db, "one", "cancel");
  });
  // In steps of so many rows, see `findItems`; and the page of lanes is the table, in the order of its names.
  assert.deepEqual(
    found.filter((scan) => !scan.includes("FROM lanes WHERE name >")),
    [],
  );
});

it("no claim goes through all lanes of a job", async (t) => {
  const { db, plansOf } = await open(t);
  for (const id of ["one", "two"]) {
    await createJob(db, jobSpec(id, { client: id }));
    await addItems(db, id, planned(keysOf(30), "a.test"), []);
  }
  const details = await plansOf(async () => {
    await claimItems(db, claim());
    await claimItems(db, claim({ jobs: ["one"] }));
    await claimItems(db, claim({ lanes: ["a.test"] }));
  });
  assert.deepEqual(
    details.filter((detail) => /INDEX (queues_job|jobs_state)/.test(detail)),
    [],
  );
});

it("a claim runs the same statements, and as many, with a hundred times the items behind it", async (t) => {
  const steps = async (count: number): Promise<number> => {
    const { db } = await open(t);
    await createJob(db, jobSpec("job"));
    await addItems(db, "job", planned(keysOf(count)), []);
    let runs = 0;
    const sql = db.sql.bind(db);
    db.sql = (text) => {
      runs++;
      return sql(text);
    };
    const { items } = await claimItems(db, claim());
    assert.equal(items.length, 50);
    await settleItems(
      db,
      "w1",
      items.map((item) => settlement(item, failed("timeout"))),
    );
    return runs;
  };
  assert.equal(await steps(20_000), await steps(200));
});
