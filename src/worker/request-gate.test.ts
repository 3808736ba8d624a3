import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { openSqlite } from "../backends/sqlite/open.ts";
import { FailureError, StopError } from "../domain/failure.ts";
import type { JobSpec } from "../domain/job.ts";
import { InFlightItems } from "../pipeline/claim.ts";
import type { LaneOf } from "../pipeline/plan.ts";
import { Kit, planned } from "../ports/ledger-suite/test-kit.ts";
import { compileScraper } from "../scrapers/compiled-scraper.ts";
import { page } from "../scrapers/page.ts";
import type { AnyScraper } from "../scrapers/scraper.ts";
import { BudgetTracker } from "./budget.ts";
import { UnsettledCosts } from "./unsettled-costs.ts";
import { Pulse } from "./pulse.ts";
import { WorkTally } from "./registration.ts";
import { RequestGate } from "./request-gate.ts";
import { RobotsGuard } from "./robots-guard.ts";
import { SlotScheduler } from "./slot-scheduler.ts";

const HOME = "https://home.test";
const AWAY = "https://away.test";
const READ = { acts: false };
const ACT = { acts: true };
const laneOf: LaneOf = ({ hostname }) => hostname;

/** A gate with one claimed item in front of it. What robots.txt says is in the ledger already: nothing is fetched. */
const open = async (t: TestContext, own: Partial<AnyScraper> = {}, limits: Pick<JobSpec, "budget"> = {}) => {
  let pulse: Pulse | undefined;
  t.after(() => pulse?.stop());
  let file = "";
  const kit = await Kit.create(t, (folder, options) =>
    openSqlite((file = join(folder, "ledger.db")), options),
  );
  const { ledger } = kit;
  await kit.job("j1", []);
  const [one] = planned(["k1"], own.lane ?? "home.test");
  await ledger.addItems("j1", [{ ...one!, input: JSON.stringify({ url: `${HOME}/1` }) }], []);
  for (const origin of [HOME, AWAY])
    await ledger.keepRobots(origin, { text: "user-agent: *\ndisallow: /no", keepMs: 1000 });
  const inFlight = new InFlightItems({ ledger, worker: "w1", capacity: 5, maxUnsettled: 5 });
  const [item] = (await inFlight.claim()).items;
  const taken: string[] = [];
  let nowMs = 0;
  const onNeed = () => {
    for (const { lane, queue, count, address } of scheduler.wishes()) {
      taken.push(address === undefined ? lane : `${lane} at ${address}`);
      scheduler.grant({
        lane,
        queue,
        ...(address !== undefined && { address }),
        delaysMs: Array.from({ length: count }, () => 0),
        lateMs: 50,
      });
    }
  };
  const scheduler = new SlotScheduler(onNeed, () => nowMs);
  pulse = new Pulse({
    ledger,
    worker: "w1",
    inFlight,
    scheduler,
    costs: new UnsettledCosts(),
    onReply: () => {},
    onError: assert.ifError,
  });
  const noFetch = () => assert.fail("robots.txt is known");
  const robots = new RobotsGuard({
    ledger,
    worker: "w1",
    collector: noFetch,
    robotName: "sluice",
    limits: (await compileScraper({ scraper: page, source: "", version: "", targets: new Map() })).limits,
  });
  const tally = new WorkTally();
  const gate = new RequestGate({
    scheduler,
    pulse,
    robots,
    laneOf,
    budgets: new BudgetTracker(ledger, new UnsettledCosts()),
    tally,
  });
  const ready = await compileScraper({
    scraper: { ...page, site: HOME, ...own },
    source: "",
    version: "",
    targets: new Map(),
  });
  const pass = gate.of(item!, ready, { id: "j1", ...limits });
  const delay = (ms: number) => void (nowMs += ms);
  return { kit, item: item!, gate, pass, taken, scheduler, tally, delay, file };
};

test("a request spends a slot in the lane of its own host", async (t) => {
  const { pass, taken } = await open(t);
  await pass(new URL("/1", HOME), READ);
  await pass(new URL("/2", AWAY), READ);
  assert.deepEqual(taken, ["home.test", "away.test"]);
});

test("a lane that the scraper names applies to its own site only", async (t) => {
  const { pass, taken } = await open(t, { lane: "vendor" });
  await pass(new URL("/1", HOME), READ);
  await pass(new URL("/2", AWAY), READ);
  assert.deepEqual(taken, ["vendor", "away.test"]);
});

test("a request that robots.txt denies uses no slot, unless the scraper ignores robots.txt", async (t) => {
  const obeying = await open(t);
  await assert.rejects(
    () => obeying.pass(new URL("/no", HOME), READ),
    (error) => error instanceof FailureError && error.failure.kind === "robots-denied",
  );
  assert.deepEqual([obeying.taken, obeying.gate.hasBegun(obeying.item)], [[], false]);
  const ignoring = await open(t, { robots: "ignore" });
  await ignoring.pass(new URL("/no", HOME), READ);
  assert.equal(ignoring.taken.length, 1);
});

test("an item has begun with its first request, until it is forgotten", async (t) => {
  const { pass, gate, item } = await open(t);
  assert.equal(gate.hasBegun(item), false);
  await pass(new URL("/", HOME), READ);
  assert.equal(gate.hasBegun(item), true);
  gate.forget(item);
  assert.equal(gate.hasBegun(item), false);
});

test("no request starts for a queue that has stopped, until the ledger says otherwise", async (t) => {
  const { pass, gate, item, scheduler } = await open(t);
  scheduler.open("home.test");
  gate.stop([item.queue]);
  await assert.rejects(() => pass(new URL("/", HOME), READ), StopError);
  gate.stop([]);
  await pass(new URL("/", HOME), READ);
});

test("a request with a slot is not sent once its queue has stopped", async (t) => {
  const { pass, gate, item } = await open(t);
  const { leave } = await pass(new URL("/", HOME), READ);
  assert.equal(leave(), true);
  gate.stop([item.queue]);
  assert.throws(leave, StopError);
});

test("a request whose slot expires before it is sent takes another slot", async (t) => {
  const { pass, taken, delay } = await open(t);
  const { leave, renew } = await pass(new URL("/", HOME), READ);
  delay(50);
  assert.equal(leave(), true);
  delay(1);
  assert.equal(leave(), false);
  await renew();
  assert.equal(leave(), true);
  assert.equal(taken.length, 2);
});

test("if addresses are paced, a request is sent only with a slot of its connected address", async (t) => {
  const { pass, gate, taken } = await open(t);
  gate.paceAddresses(true);
  const first = await pass(new URL("/1", HOME), READ);
  assert.deepEqual(taken, [], "where it leads is not known before it is connected");
  assert.equal(first.leave("203.0.113.7"), false);
  await first.renew();
  assert.deepEqual(taken, ["home.test at address:203.0.113.7"]);
  assert.equal(first.leave("203.0.113.7"), true);

  const second = await pass(new URL("/2", HOME), READ);
  assert.equal(second.leave("203.0.113.8"), false, "the name leads elsewhere now");
  await second.renew();
  assert.equal(second.leave("203.0.113.8"), true);
  gate.paceAddresses(false);
  const third = await pass(new URL("/3", HOME), READ);
  assert.equal(third.leave("203.0.113.9"), true);
  assert.deepEqual(taken.slice(1), [
    "home.test at address:203.0.113.7",
    "home.test at address:203.0.113.8",
    "home.test",
  ]);
});

test("requests beyond the job's budget are refused, and use no slot", async (t) => {
  const { pass, taken } = await open(t, {}, { budget: { requests: 2 } });
  await pass(new URL("/1", HOME), READ);
  await pass(new URL("/2", HOME), READ);
  await assert.rejects(
    () => pass(new URL("/3", HOME), READ),
    (error) => error instanceof FailureError && error.failure.kind === "budget",
  );
  assert.equal(taken.length, 2);
});

test("for a `once` scraper, an acting request is recorded before it is sent", async (t) => {
  const { kit, pass, gate, item } = await open(t, { once: true });
  await pass(new URL("/form", HOME), READ);
  assert.equal(gate.hasActed(item), false);
  const { leave } = await pass(new URL("/pay", HOME), ACT);
  assert.equal(gate.hasActed(item), false);
  leave();
  assert.equal(gate.hasActed(item), true);
  await kit.ledger.reap({ worker: "w1" });
  assert.equal((await kit.item("j1", "k1")).state, "failed");
});

test("an acting request that was stopped before it had its slot has not acted", async (t) => {
  const { pass, gate, item } = await open(t, { once: true });
  gate.stop([item.queue]);
  await assert.rejects(() => pass(new URL("/pay", HOME), ACT), StopError);
  assert.equal(gate.hasActed(item), false);
});

test("an acting request whose slot expires while it waits for the ledger takes another, and has not acted before", async (t) => {
  const { file, pass, gate, item, delay, taken } = await open(t, { once: true });
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  const passing = pass(new URL("/pay", HOME), ACT);
  while (taken.length === 0) await setImmediate();
  delay(900);
  other.exec("ROLLBACK");
  other.close();
  const { leave, renew } = await passing;
  assert.deepEqual([leave(), gate.hasActed(item)], [false, false]);
  await renew();
  assert.deepEqual([leave(), gate.hasActed(item)], [true, true]);
});

test("other scrapers may act again", async (t) => {
  const { kit, pass, gate, item } = await open(t);
  const { leave } = await pass(new URL("/search", HOME), ACT);
  leave();
  assert.equal(gate.hasActed(item), false);
  await kit.ledger.reap({ worker: "w1" });
  assert.notEqual((await kit.item("j1", "k1")).state, "failed");
});
