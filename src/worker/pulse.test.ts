import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openSqlite } from "../backends/sqlite/open.ts";
import { InFlightItems } from "../pipeline/claim.ts";
import { type Ledger, LedgerError, type PulseReply, type PulseReport } from "../ports/ledger.ts";
import { keysOf, SITE, Kit } from "../ports/ledger-suite/test-kit.ts";
import { Pulse } from "./pulse.ts";
import { SlotScheduler } from "./slot-scheduler.ts";
import { UnsettledCosts } from "./unsettled-costs.ts";

const PACE = { perSecond: 10, burst: 1, concurrency: 100 };

/** A pulse on a real ledger that records its calls. */
const open = async (t: TestContext, change: Partial<Ledger> = {}, onReply: () => void = () => {}) => {
  let opened: Pulse | undefined;
  t.after(() => opened?.stop());
  const kit = await Kit.create(t, (folder, options) => openSqlite(join(folder, "ledger.db"), options));
  await kit.job("j1", keysOf(5), { pace: PACE });
  const reports: PulseReport[] = [];
  const replies: PulseReply[] = [];
  const errors: unknown[] = [];
  const ledger: Ledger = {
    ...kit.ledger,
    pulse: (report) => {
      // Each part is told when it is read.
      const told = { ...report };
      reports.push(told);
      return kit.ledger.pulse(told);
    },
    ...change,
  };
  const inFlight = new InFlightItems({ ledger, worker: "w1", capacity: 5, maxUnsettled: 100 });
  const scheduler = new SlotScheduler(() => pulse.needSlots());
  const heard: (() => void)[] = [];
  const pulse: Pulse = (opened = new Pulse({
    ledger,
    worker: "w1",
    inFlight,
    scheduler,
    costs: new UnsettledCosts(),
    onReply: (reply) => {
      replies.push(reply);
      onReply();
      for (const resolve of heard.splice(0)) resolve();
    },
    onError: (error) => errors.push(error),
  }));
  const nextReply = () => new Promise<void>((resolve) => heard.push(resolve));
  return { kit, inFlight, scheduler, pulse, reports, replies, errors, nextReply };
};

test("a requested slot is granted soon, by the ledger's bookings", async (t) => {
  const { inFlight, scheduler, pulse, reports } = await open(t);
  await inFlight.claim();
  await pulse.now();
  const started = scheduler.take(SITE, { queue: inFlight.running[0]!.queue, seq: 1 });
  await started;
  assert.ok(reports.some(({ wishes }) => wishes[0]?.lane === SITE && wishes[0].count === 1));
});

test("outcomes, problems, crawl delays and requests are reported once, and counted together", async (t) => {
  const { inFlight, pulse, reports } = await open(t);
  await inFlight.claim();
  const { queue } = inFlight.running[0]!;
  pulse.outcome({ queue, result: "done", attempt: 1 });
  pulse.lane(SITE, "ok");
  pulse.lane(SITE, "ok");
  pulse.lane(SITE, "rate-limited", { retryAfterMs: 500 });
  pulse.lane(SITE, "rate-limited", { retryAfterMs: 300 });
  pulse.lane(SITE, "timeout", { slows: false });
  pulse.lane(SITE, "timeout", { slows: true });
  pulse.crawlDelay(SITE, 700);
  for (const lane of [SITE, "other.test", SITE]) pulse.sent(lane);
  await pulse.now();
  await pulse.now();
  const [first, second] = reports;
  assert.deepEqual(first?.outcomes, [{ queue, result: "done", attempt: 1 }]);
  assert.deepEqual(first?.lanes, [
    { lane: SITE, kind: "ok", count: 2 },
    { lane: SITE, kind: "rate-limited", count: 2, retryAfterMs: 500 },
    { lane: SITE, kind: "timeout", count: 1, slows: false },
    { lane: SITE, kind: "timeout", count: 1, slows: true },
  ]);
  assert.deepEqual(first?.crawlDelays, [{ lane: SITE, delayMs: 700 }]);
  assert.deepEqual(first?.used, [
    { lane: SITE, requests: 2 },
    { lane: "other.test", requests: 1 },
  ]);
  assert.deepEqual(
    [second?.outcomes, second?.lanes, second?.crawlDelays, second?.used],
    [[], [], [], undefined],
  );
});

test("pulses are sent regularly, also without requests", async (t) => {
  const { nextReply, reports } = await open(t);
  await nextReply();
  await nextReply();
  assert.ok(reports.length >= 2);
});

test("a bad outcome does not wait for the next pulse, a good one does", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { inFlight, pulse, nextReply, reports } = await open(t);
  await inFlight.claim();
  const { queue } = inFlight.running[0]!;
  pulse.outcome({ queue, result: "done", attempt: 1 });
  t.mock.timers.tick(1);
  assert.equal(reports.length, 0);
  const reply = nextReply();
  pulse.outcome({ queue, result: "done", attempt: 1, missing: ["owner"] });
  t.mock.timers.tick(1);
  await reply;
  assert.equal(reports[0]?.outcomes.length, 2);
});

test("items that were claimed while a pulse waited for the ledger are among those that it names", async (t) => {
  const lock = Promise.withResolvers<void>();
  const { kit, inFlight, pulse } = await open(t, {
    pulse: async (report) => {
      await lock.promise;
      return await kit.ledger.pulse(report);
    },
  });
  const beat = pulse.now();
  await inFlight.claim();
  lock.resolve();
  await beat;
  const { suspects } = await kit.ledger.reap({ worker: "w1" });
  assert.equal(suspects, inFlight.size);
});

test("the worker learns which jobs have stopped", async (t) => {
  const { kit, inFlight, pulse, replies } = await open(t);
  await inFlight.claim();
  await kit.ledger.controlJob("j1", "pause");
  await pulse.now();
  assert.deepEqual(replies.at(-1)?.stopped, [inFlight.running[0]!.queue]);
});

test("a stop is known before a slot or an open lane lets requests start", async (t) => {
  const heard: string[] = [];
  const reply = { isAlive: true, unpaced: ["open.test"], stopped: [1], againInMs: 1000 };
  const slots = [{ lane: SITE, queue: 1, delaysMs: [0], lateMs: 1000 }];
  const { scheduler, pulse } = await open(t, { pulse: async () => ({ ...reply, slots }) }, () => {
    heard.push("stopped");
    scheduler.stop(({ queue }) => queue === 1, "paused");
  });
  const waits = [SITE, "open.test"].map((lane) =>
    scheduler.take(lane, { queue: 1, seq: 1 }).then(
      () => heard.push(`left in ${lane}`),
      () => heard.push("refused"),
    ),
  );
  await pulse.now();
  await Promise.all(waits);
  assert.deepEqual(heard.slice(0, 3), ["stopped", "refused", "refused"]);
});

test("a worker that was given up learns it", async (t) => {
  const { kit, inFlight, pulse, replies } = await open(t);
  await inFlight.claim();
  await kit.ledger.reap({ worker: "w1" });
  await pulse.now();
  assert.equal(replies.at(-1)?.isAlive, false);
});

test("an acting request is in the ledger before it is sent, also while a pulse is in progress", async (t) => {
  const { kit, inFlight, pulse } = await open(t);
  const { items } = await inFlight.claim();
  const beat = pulse.now();
  await Promise.all([pulse.acting(items[0]!), pulse.acting(items[1]!)]);
  await beat;
  await kit.ledger.reap({ worker: "w1" });
  const failed = (await kit.items("j1", { states: ["failed"] })).map(({ key }) => key);
  assert.deepEqual(failed, ["k0", "k1"]);
});

test("unused slots are returned with the next pulse", async (t) => {
  const { inFlight, scheduler, pulse, reports } = await open(t);
  const { slots } = await inFlight.claim();
  scheduler.grant(slots[0]!);
  await pulse.now();
  assert.ok(reports[0]!.returned[0]!.delaysMs.length > 0);
});

test("an unreachable ledger is reported and tried again", async (t) => {
  const { pulse, errors } = await open(t, {
    pulse: () => Promise.reject(new LedgerError("locked", "locked")),
  });
  await pulse.now();
  await pulse.now();
  assert.equal(errors.length, 2);
});

test("a last pulse is sent on stop, and none after it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { inFlight, pulse, reports } = await open(t);
  await inFlight.claim();
  pulse.outcome({ queue: inFlight.running[0]!.queue, result: "done", attempt: 1 });
  await pulse.stop();
  assert.equal(reports.length, 1);
  assert.equal(reports[0]?.outcomes.length, 1);
  pulse.need();
  t.mock.timers.tick(1000);
  assert.equal(reports.length, 1);
});
