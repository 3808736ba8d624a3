import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { StopError } from "../domain/failure.ts";
import { SlotScheduler } from "./slot-scheduler.ts";

const LANE = "site.test";

/** A scheduler on a manual clock; `sleep` simulates a suspended process: time passes, timers do not fire. */
class SchedulerKit {
  #nowMs = 1000;
  needs = 0;
  readonly scheduler = new SlotScheduler(
    () => this.needs++,
    () => this.#nowMs,
  );
  /** Names of the requests that have started, in order, each with its time since the beginning. */
  readonly started: [string, number][] = [];
  readonly stopped: string[] = [];
  readonly #t: TestContext;

  constructor(t: TestContext) {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    this.#t = t;
  }

  take(
    name: string,
    { queue = 1, lane = LANE, address }: { queue?: number; lane?: string; address?: string } = {},
  ): void {
    this.scheduler.take(lane, { queue, seq: 1 }, address).then(
      () => this.started.push([name, this.#nowMs - 1000]),
      (error: unknown) => {
        assert.ok(error instanceof StopError);
        this.stopped.push(name);
      },
    );
  }

  async pass(ms: number): Promise<void> {
    for (let i = 0; i < ms; i++) {
      this.#nowMs++;
      this.#t.mock.timers.tick(1);
      await Promise.resolve();
    }
    await this.heard();
  }

  sleep(ms: number): void {
    this.#nowMs += ms;
  }

  async heard(): Promise<void> {
    await new Promise(setImmediate);
  }

  names(): string[] {
    return this.started.map(([name]) => name);
  }
}

test("a slot is used at its time and not before, first come first served", async (t) => {
  const kit = new SchedulerKit(t);
  for (const name of ["a", "b", "c"]) kit.take(name);
  assert.equal(kit.needs, 3);
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [10, 30], lateMs: 5 });
  await kit.pass(100);
  assert.deepEqual(kit.started, [
    ["a", 10],
    ["b", 30],
  ]);
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [0], lateMs: 5 });
  await kit.heard();
  assert.deepEqual(kit.started.at(-1), ["c", 100]);
});

test("slots that arrive before their requests are used without asking", async (t) => {
  const kit = new SchedulerKit(t);
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [20, 40], lateMs: 5 });
  kit.take("a");
  kit.take("b");
  await kit.pass(50);
  assert.deepEqual(kit.started, [
    ["a", 20],
    ["b", 40],
  ]);
  assert.equal(kit.needs, 0);
});

test("slots granted out of order are used in order of time", async (t) => {
  const kit = new SchedulerKit(t);
  for (const name of ["a", "b"]) kit.take(name);
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [30], lateMs: 5 });
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [10], lateMs: 5 });
  await kit.pass(50);
  assert.deepEqual(
    kit.started.map(([, at]) => at),
    [10, 30],
  );
});

test("a process that was suspended sends no burst: late slots are dropped and requested again", async (t) => {
  const kit = new SchedulerKit(t);
  const names = Array.from({ length: 10 }, (_, i) => `r${i}`);
  for (const name of names) kit.take(name);
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: names.map((_, i) => i * 100 + 50), lateMs: 40 });
  const { needs } = kit;
  kit.sleep(5000);
  await kit.pass(1000);
  assert.deepEqual(kit.started, []);
  assert.ok(kit.needs > needs);
  assert.deepEqual(kit.scheduler.wishes(), [{ lane: LANE, queue: 1, count: 10, again: 10 }]);
});

test("a slot that is a little late is used", async (t) => {
  const kit = new SchedulerKit(t);
  kit.take("a");
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [50], lateMs: 40 });
  kit.sleep(20);
  await kit.pass(50);
  assert.deepEqual(kit.started, [["a", 70]]);
});

test("a request that comes when its slot is long over asks for another", async (t) => {
  const kit = new SchedulerKit(t);
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [0], lateMs: 10 });
  kit.sleep(50);
  kit.take("a");
  await kit.heard();
  assert.deepEqual([kit.started, kit.needs], [[], 1]);
});

test("requested slots are counted by lane and queue, minus the available ones", async (t) => {
  const kit = new SchedulerKit(t);
  kit.take("a", { queue: 1 });
  kit.take("b", { queue: 2 });
  kit.take("c", { queue: 2 });
  kit.take("d", { queue: 3, lane: "other.test" });
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [10], lateMs: 5 });
  assert.deepEqual(kit.scheduler.wishes(), [
    { lane: LANE, queue: 2, count: 2 },
    { lane: "other.test", queue: 3, count: 1 },
  ]);
});

test("unneeded slots are returned, the latest first, and cannot be used any more", async (t) => {
  const kit = new SchedulerKit(t);
  kit.take("a");
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [100, 200, 300], lateMs: 5 });
  await kit.pass(50);
  assert.deepEqual(kit.scheduler.returns(), [{ lane: LANE, delaysMs: [150, 250] }]);
  assert.deepEqual(kit.scheduler.returns(), []);
  await kit.pass(50);
  assert.deepEqual(kit.started, [["a", 100]]);
});

test("an expired slot is not returned", async (t) => {
  const kit = new SchedulerKit(t);
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [10, 90], lateMs: 5 });
  kit.sleep(50);
  assert.deepEqual(kit.scheduler.returns(), [{ lane: LANE, delaysMs: [40] }]);
});

test("stopped requests do not start, and leave their slots to others", async (t) => {
  const kit = new SchedulerKit(t);
  kit.take("a", { queue: 1 });
  kit.take("b", { queue: 2 });
  kit.take("c", { queue: 1 });
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [10, 20, 30], lateMs: 5 });
  kit.scheduler.stop(({ queue }) => queue === 1, "paused");
  await kit.pass(50);
  assert.deepEqual([kit.stopped, kit.started], [["a", "c"], [["b", 10]]]);
});

test("in a lane without a rate, requests start at once until it is closed", async (t) => {
  const kit = new SchedulerKit(t);
  kit.take("waiting");
  kit.scheduler.open(LANE);
  kit.take("at once");
  await kit.heard();
  assert.deepEqual(kit.names(), ["waiting", "at once"]);
  kit.scheduler.close(LANE);
  kit.take("closed");
  await kit.heard();
  assert.deepEqual(kit.names(), ["waiting", "at once"]);
  assert.deepEqual(kit.scheduler.wishes(), [{ lane: LANE, queue: 1, count: 1 }]);
});

test("the ledger's list of open lanes replaces the previous one", async (t) => {
  const kit = new SchedulerKit(t);
  kit.scheduler.open("other.test");
  kit.scheduler.setOpen([LANE]);
  kit.take("open");
  kit.take("closed", { lane: "other.test" });
  await kit.heard();
  assert.deepEqual(kit.names(), ["open"]);
});

test("slots of a queue with its own pace are only for its requests, also in a lane without a rate", async (t) => {
  const kit = new SchedulerKit(t);
  kit.scheduler.grant({ lane: LANE, queue: 7, isOwn: true, delaysMs: [50], lateMs: 20 });
  kit.scheduler.open(LANE);
  kit.take("own", { queue: 7 });
  kit.take("own hop", { queue: 7 });
  kit.take("other", { queue: 1 });
  await kit.heard();
  assert.deepEqual(kit.started, [["other", 0]]);
  assert.deepEqual(kit.scheduler.wishes(), [{ lane: LANE, queue: 7, count: 1 }]);
  await kit.pass(60);
  assert.deepEqual(kit.started, [
    ["other", 0],
    ["own", 50],
  ]);
  kit.scheduler.close(LANE);
  kit.take("waits", { queue: 1 });
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [10], lateMs: 20 });
  await kit.pass(20);
  assert.deepEqual(kit.started.at(-1)?.[0], "waits");
});

test("slots that a queue did not use, and those it used of others, are reported once", async (t) => {
  const kit = new SchedulerKit(t);
  const refunds = (): Record<number, number> => {
    kit.scheduler.returns();
    return Object.fromEntries(kit.scheduler.refunds().map(({ queue, count }) => [queue, count]));
  };
  const item = { queue: 1, seq: 2 };
  kit.scheduler.expect(LANE, item);
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [10, 20, 30], lateMs: 5 });
  kit.scheduler.grant({ lane: LANE, queue: 2, delaysMs: [40], lateMs: 5 });
  kit.take("a", { queue: 1 });
  kit.take("b", { queue: 3 });
  await kit.pass(25);
  assert.deepEqual(kit.names(), ["a", "b"]);
  assert.deepEqual(refunds(), { 1: 1, 2: 1, 3: -1 }, "one item is still to come for its slot");
  assert.deepEqual(refunds(), {});
  kit.scheduler.forget(item);
  assert.deepEqual(refunds(), { 1: 1 });
});

test("a request whose slot was dropped or returned before is not charged again", async (t) => {
  const kit = new SchedulerKit(t);
  const wish = { lane: LANE, queue: 1 };
  kit.scheduler.expect(LANE, { queue: 1, seq: 9 });
  kit.take("a");
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [10], lateMs: 5 });
  kit.sleep(50);
  await kit.pass(10);
  assert.deepEqual(
    [kit.scheduler.refunds(), kit.scheduler.wishes()],
    [[], [{ ...wish, count: 1, again: 1 }]],
  );
  kit.take("new");
  assert.deepEqual(kit.scheduler.wishes(), [{ ...wish, count: 2, again: 1 }]);
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [10, 20], lateMs: 5 }, 1);
  await kit.pass(30);
  assert.deepEqual([kit.names(), kit.scheduler.refunds()], [["a", "new"], []]);
  kit.scheduler.missed(LANE, { queue: 1, seq: 1 });
  kit.take("a");
  assert.deepEqual(
    [kit.scheduler.refunds(), kit.scheduler.wishes()],
    [[], [{ ...wish, count: 1, again: 1 }]],
  );
});

test("a request that waits for an address slot waits only for the lane once addresses have no rate", async (t) => {
  const kit = new SchedulerKit(t);
  const address = "address:203.0.113.7";
  for (const name of ["a", "b", "c"]) kit.take(name, { address });
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [10], lateMs: 50, address });
  assert.deepEqual(kit.scheduler.wishes(), [{ lane: LANE, queue: 1, count: 2, address }]);
  kit.scheduler.forgetAddresses();
  assert.deepEqual(kit.scheduler.wishes(), [{ lane: LANE, queue: 1, count: 2 }]);
  kit.scheduler.grant({ lane: LANE, queue: 1, delaysMs: [20, 30], lateMs: 50 });
  await kit.pass(40);
  assert.deepEqual(kit.started, [
    ["a", 10],
    ["b", 20],
    ["c", 30],
  ]);
});
