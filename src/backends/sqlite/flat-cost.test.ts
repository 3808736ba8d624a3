import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it, type TestContext } from "node:test";
import { ITEM_STATES } from "../../domain/item.ts";
import { failed, RETURNED, settlement, SimWorker, waiting } from "../../ports/ledger-suite/sim-worker.ts";
import { jobSpec, keysOf, planned } from "../../ports/ledger-suite/test-kit.ts";
import { addRowSum } from "./migrate.ts";
import { openSqlite } from "./open.ts";

/** Grow with what is behind a claim; the others (workers, clients) only with what is under way. */
const LARGE = ["items", "item_keys", "results", "retries", "capped", "queues", "lanes", "jobs", "shares"];

const BACKLOG = new Set(["items", "item_keys", "results", "retries", "capped"]);

const open = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-plans-"));
  const file = join(folder, "ledger.db");
  let now = 1_750_000_000_000;
  const statements: string[] = [];
  const onStatement = (sql: string): void => void statements.push(sql);
  const ledger = await openSqlite(file, { now: () => now, onStatement });
  const plans = new DatabaseSync(file);
  addRowSum(plans);
  t.after(async () => {
    plans.close();
    await ledger.close();
    await rm(folder, { recursive: true });
  });
  /** The statements that went through while `work` ran, each once. */
  const ran = async (work: () => Promise<unknown>): Promise<Set<string>> => {
    statements.length = 0;
    await work();
    assert.ok(statements.length > 0);
    return new Set(statements.flatMap(partsOf));
  };
  /** Those that read a whole table, each with its plan. */
  const scans = async (work: () => Promise<unknown>): Promise<string[]> =>
    [...(await ran(work))].flatMap((text) => scansOf(plans, text).map((detail) => `${detail}: ${text}`));
  const plansOf = async (work: () => Promise<unknown>): Promise<string[]> =>
    [...(await ran(work))].flatMap((text) => planOf(plans, text));
  const worker = (name: string) => new SimWorker(name, ledger, () => now);
  return { ledger, statements, scans, plansOf, plans, worker, pass: (ms: number) => (now += ms) };
};

/** Loads of several kinds are one statement, in which a name stands for several tables. */
const partsOf = (text: string): string[] => text.split(/ UNION ALL (?=SELECT \d+ AS load)/);

const scansOf = (plans: DatabaseSync, text: string): string[] => {
  const names = new Map(LARGE.map((table) => [table, table]));
  for (const [, table, alias] of text.matchAll(/\b(?:FROM|JOIN|,) (\w+) (\w+)\b/g))
    if (table && alias && LARGE.includes(table)) names.set(alias, table);
  return planOf(plans, text).filter((detail) => {
    const [, how, table = ""] = /^(SCAN|SEARCH) (\w+)/.exec(detail) ?? [];
    // All items of a queue, or all keys of a job, are as many as a table's; so are its retries, most of which have ended.
    const some =
      names.get(table) === "retries"
        ? /PRIMARY KEY \((\w+=\?|queue=\? AND seq>\?)\)/
        : /PRIMARY KEY \(\w+=\?\)/;
    const isCut = new RegExp(
      `FROM ${table} WHERE \\w+ = (\\?1|\\(w.value ->> 0\\)) ORDER BY \\w+( DESC)? LIMIT \\d+`,
    ).test(text);
    const isWide = BACKLOG.has(names.get(table) ?? "") && some.test(detail) && !isCut;
    return names.has(table) && (how === "SCAN" || isWide);
  });
};

const planOf = (plans: DatabaseSync, text: string): string[] =>
  (plans.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[]).map(({ detail }) => detail);

it("knows a scan when it sees one", async (t) => {
  const { plans } = await open(t);
  assert.equal(scansOf(plans, "SELECT i.key FROM items i WHERE i.depth = 5").length, 1);
  assert.equal(scansOf(plans, "SELECT min(attempts) FROM results WHERE queue = 1").length, 1);
});

it("no claim, pulse, settle or reap reads a whole table, whatever it meets", async (t) => {
  const { ledger, worker, scans, pass } = await open(t);
  for (const [id, perSecond] of [
    ["paced", 100],
    ["open", Infinity],
  ] as const) {
    const freshness = id === "open" ? { freshness: { maxAgeMs: 1000 } } : {};
    await ledger.createJob(
      jobSpec(id, { client: id, pace: { perSecond, burst: 1, concurrency: 100 }, ...freshness }),
    );
    await ledger.addItems(
      id,
      [...planned(keysOf(300), "a.test"), ...planned(keysOf(300, "b"), "b.test")],
      [],
    );
  }
  const found = await scans(async () => {
    const w1 = worker("w1");
    const items = await w1.take(50);
    const [first, second, third, fourth, fifth] = items;
    assert.ok(first && second && third && fourth && fifth);
    const { lane, queue } = first;
    await w1.pulse({
      running: items,
      acting: [fourth],
      inFlight: new Map([["a.test", 40]]),
      wishes: [{ lane, queue, count: 2, address: "address:203.0.113.7" }],
      refunds: [{ lane, queue, count: 1 }],
      returned: [{ lane, delaysMs: [10] }],
      crawlDelays: [{ lane, delayMs: 10 }],
      lanes: [{ lane, kind: "rate-limited", count: 1, retryAfterMs: 5 }],
      outcomes: Array.from({ length: 30 }, () => ({ queue, result: "blocked", attempt: 1 }) as const),
    });
    await ledger.settle("w1", [
      settlement(first, waiting(0)),
      settlement(second, RETURNED, { attempt: { startedAt: 0, ms: 0, requests: 0, bytes: 0 } }),
      settlement(third, failed("timeout"), { emitted: planned(["new"]) }),
      settlement(fifth, failed("timeout")),
    ]);
    pass(61_000);
    await worker("w2").take(50, { jobs: ["paced"] });
    await worker("w3").take(50, { lanes: ["a.test"], kinds: ["http"] });
    await worker("alone").takeAlone();
    await ledger.awaitWork({}, 0);
    await ledger.reap({ worker: "alone", cause: { blame: "scraper", detail: "gone" } });
    await ledger.reap({});
    await ledger.readJob("paced");
  });
  assert.deepEqual(found, []);
});

it("no list, status or control reads a whole table", async (t) => {
  const { ledger, worker, scans } = await open(t);
  for (const id of ["one", "two"]) {
    await ledger.createJob(jobSpec(id, { client: id, labels: { team: id }, maxItems: 290 }));
    await ledger.addItems(id, planned(keysOf(300), "a.test"), []);
  }
  const w1 = worker("w1");
  const items = await w1.take(50);
  await ledger.settle(
    "w1",
    items.slice(0, 20).map((item, i) => settlement(item, i % 2 ? waiting(0) : failed("timeout"))),
  );
  const found = await scans(async () => {
    for (const state of ITEM_STATES)
      if (state !== "done") await ledger.listItems("one", { states: [state], limit: 9 });
    await ledger.listItems("one", { kinds: ["timeout"], limit: 9 });
    await ledger.listItems("one", { keys: ["k1", "none"], limit: 9 });
    await ledger.listJobs({ client: "one", limit: 9 });
    await ledger.listJobs({ label: ["team", "one"], limit: 9 });
    await ledger.sumOpenJobs();
    await ledger.readJob("one");
    await ledger.readFailures("one");
    await ledger.listLanes({ limit: 9 });
    for (const isOpen of [true, false])
      await ledger.listJobLanes("one", { isOpen, after: "a.test", limit: 9 });
    await ledger.isQuiet("one");
    await ledger.retryItems("one", { keys: ["k0"] });
    await ledger.retryItems("one", { kinds: ["timeout"] });
    await ledger.raiseCaps("one", { maxItems: 1000 });
    await ledger.controlLane("a.test", { perSecond: 5 });
    await ledger.controlJob("one", "pause");
    await ledger.controlJob("one", "resume");
    await ledger.controlJob("one", "cancel");
    await ledger.reap({ worker: "w1" });
    await ledger.removals.mark("one", "job");
    while ((await ledger.removals.advance("one")) === "ledger");
    await ledger.removals.endBytes("one", "job");
    while ((await ledger.removals.advance("one")) === "ledger");
    await ledger.tidy();
  });
  assert.deepEqual(found, []);
});

it("the list of held lanes looks only at those that are held, and that of a job only at its own", async (t) => {
  const { ledger, plansOf } = await open(t);
  await ledger.createJob(jobSpec("one"));
  await ledger.addItems("one", planned(keysOf(30), "a.test"), []);
  const held = await plansOf(() => ledger.listLanes({ isHeld: true, limit: 9 }));
  for (const index of ["lanes_held", "lanes_held_by_operator", "queues_held_lane"])
    assert.ok(
      held.some((detail) => detail.includes(index)),
      `${index}: ${held.join("\n")}`,
    );
  const own = await plansOf(() => ledger.listJobLanes("one", { isOpen: true, limit: 9 }));
  assert.ok(
    own.some((detail) => detail.includes("queues_backlog (job=? AND lane>?)")),
    own.join("\n"),
  );
  assert.ok(!own.some((detail) => detail.includes("TEMP B-TREE")), own.join("\n"));
});

it("no claim goes through all lanes of a job", async (t) => {
  const { ledger, worker, plansOf } = await open(t);
  for (const id of ["one", "two"]) {
    await ledger.createJob(jobSpec(id, { client: id }));
    await ledger.addItems(id, planned(keysOf(30), "a.test"), []);
  }
  const details = await plansOf(async () => {
    for (const asked of [{}, { jobs: ["one"] }, { lanes: ["a.test"] }]) await worker("w1").take(9, asked);
  });
  assert.deepEqual(
    details.filter((detail) => /INDEX (queues_job|jobs_state)/.test(detail)),
    [],
  );
});

it("a claim runs the same statements, and as many, with a hundred times the items behind it", async (t) => {
  const steps = async (count: number): Promise<readonly string[]> => {
    const { ledger, worker, statements } = await open(t);
    await ledger.createJob(jobSpec("job"));
    await ledger.addItems("job", planned(keysOf(count)), []);
    statements.length = 0;
    const w1 = worker("w1");
    const items = await w1.take(50);
    assert.equal(items.length, 50);
    await w1.settle(items, failed("timeout"));
    return [...statements];
  };
  assert.deepEqual(await steps(20_000), await steps(200));
});
