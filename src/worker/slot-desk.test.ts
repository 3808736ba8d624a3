import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { StopError } from "../model/stop-error.ts";
import { SlotDesk } from "./slot-desk.ts";

const LANE = "site.test";

/** A desk on a clock that moves when told; `sleep` is a process that was paused: time passes, timers do not fire. */
class DeskWorld {
  #nowMs = 1000;
  needs = 0;
  readonly desk = new SlotDesk(
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
    this.desk.take(lane, { queue, seq: 1 }, address).then(
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
  const world = new DeskWorld(t);
  for (const name of ["a", "b", "c"]) world.take(name);
  assert.equal(world.needs, 3);
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [10, 30], lateMs: 5 });
  await world.pass(100);
  assert.deepEqual(world.started, [
    ["a", 10],
    ["b", 30],
  ]);
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [0], lateMs: 5 });
  await world.heard();
  assert.deepEqual(world.started.at(-1), ["c", 100]);
});

test("slots that came before their requests are used without asking", async (t) => {
  const world = new DeskWorld(t);
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [20, 40], lateMs: 5 });
  world.take("a");
  world.take("b");
  await world.pass(50);
  assert.deepEqual(world.started, [
    ["a", 20],
    ["b", 40],
  ]);
  assert.equal(world.needs, 0);
});

test("slots granted out of order are used in order of time", async (t) => {
  const world = new DeskWorld(t);
  for (const name of ["a", "b"]) world.take(name);
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [30], lateMs: 5 });
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [10], lateMs: 5 });
  await world.pass(50);
  assert.deepEqual(
    world.started.map(([, at]) => at),
    [10, 30],
  );
});

test("a process that was paused fires no burst: what is too late is void and asked for again", async (t) => {
  const world = new DeskWorld(t);
  const names = Array.from({ length: 10 }, (_, i) => `r${i}`);
  for (const name of names) world.take(name);
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: names.map((_, i) => i * 100 + 50), lateMs: 40 });
  const { needs } = world;
  world.sleep(5000);
  await world.pass(1000);
  assert.deepEqual(world.started, []);
  assert.ok(world.needs > needs);
  assert.deepEqual(world.desk.wishes(), [{ lane: LANE, queue: 1, count: 10, again: 10 }]);
});

test("a slot that is a little late is used", async (t) => {
  const world = new DeskWorld(t);
  world.take("a");
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [50], lateMs: 40 });
  world.sleep(20);
  await world.pass(50);
  assert.deepEqual(world.started, [["a", 70]]);
});

test("a request that comes when its slot is long over asks for another", async (t) => {
  const world = new DeskWorld(t);
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [0], lateMs: 10 });
  world.sleep(50);
  world.take("a");
  await world.heard();
  assert.deepEqual([world.started, world.needs], [[], 1]);
});

test("wishes are counted by lane and queue, less the slots at hand", async (t) => {
  const world = new DeskWorld(t);
  world.take("a", { queue: 1 });
  world.take("b", { queue: 2 });
  world.take("c", { queue: 2 });
  world.take("d", { queue: 3, lane: "other.test" });
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [10], lateMs: 5 });
  assert.deepEqual(world.desk.wishes(), [
    { lane: LANE, queue: 2, count: 2 },
    { lane: "other.test", queue: 3, count: 1 },
  ]);
});

test("slots that nobody waits for are given back, the latest of them, and are gone", async (t) => {
  const world = new DeskWorld(t);
  world.take("a");
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [100, 200, 300], lateMs: 5 });
  await world.pass(50);
  assert.deepEqual(world.desk.returns(), [{ lane: LANE, delaysMs: [150, 250] }]);
  assert.deepEqual(world.desk.returns(), []);
  await world.pass(50);
  assert.deepEqual(world.started, [["a", 100]]);
});

test("a slot whose time is over is not given back", async (t) => {
  const world = new DeskWorld(t);
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [10, 90], lateMs: 5 });
  world.sleep(50);
  assert.deepEqual(world.desk.returns(), [{ lane: LANE, delaysMs: [40] }]);
});

test("those that are stopped start no more, and leave their slots to the others", async (t) => {
  const world = new DeskWorld(t);
  world.take("a", { queue: 1 });
  world.take("b", { queue: 2 });
  world.take("c", { queue: 1 });
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [10, 20, 30], lateMs: 5 });
  world.desk.stop(({ queue }) => queue === 1, "paused");
  await world.pass(50);
  assert.deepEqual([world.stopped, world.started], [["a", "c"], [["b", 10]]]);
});

test("in a lane without a rhythm requests start at once, until it is closed", async (t) => {
  const world = new DeskWorld(t);
  world.take("waiting");
  world.desk.open(LANE);
  world.take("at once");
  await world.heard();
  assert.deepEqual(world.names(), ["waiting", "at once"]);
  world.desk.close(LANE);
  world.take("closed");
  await world.heard();
  assert.deepEqual(world.names(), ["waiting", "at once"]);
  assert.deepEqual(world.desk.wishes(), [{ lane: LANE, queue: 1, count: 1 }]);
});

test("the ledger's word on open lanes replaces what was known", async (t) => {
  const world = new DeskWorld(t);
  world.desk.open("other.test");
  world.desk.setOpen([LANE]);
  world.take("open");
  world.take("closed", { lane: "other.test" });
  await world.heard();
  assert.deepEqual(world.names(), ["open"]);
});

test("slots of a queue with a pace of its own are for its requests alone, also in a lane without a rhythm", async (t) => {
  const world = new DeskWorld(t);
  world.desk.grant({ lane: LANE, queue: 7, isOwn: true, delaysMs: [50], lateMs: 20 });
  world.desk.open(LANE);
  world.take("own", { queue: 7 });
  world.take("own hop", { queue: 7 });
  world.take("other", { queue: 1 });
  await world.heard();
  assert.deepEqual(world.started, [["other", 0]]);
  assert.deepEqual(world.desk.wishes(), [{ lane: LANE, queue: 7, count: 1 }]);
  await world.pass(60);
  assert.deepEqual(world.started, [
    ["other", 0],
    ["own", 50],
  ]);
  world.desk.close(LANE);
  world.take("waits", { queue: 1 });
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [10], lateMs: 20 });
  await world.pass(20);
  assert.deepEqual(world.started.at(-1)?.[0], "waits");
});

test("what was charged to a queue and nobody asks for is told once, and what it used of others'", async (t) => {
  const world = new DeskWorld(t);
  const refunds = (): Record<number, number> => {
    world.desk.returns();
    return Object.fromEntries(world.desk.refunds().map(({ queue, count }) => [queue, count]));
  };
  const item = { queue: 1, seq: 2 };
  world.desk.expect(LANE, item);
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [10, 20, 30], lateMs: 5 });
  world.desk.grant({ lane: LANE, queue: 2, delaysMs: [40], lateMs: 5 });
  world.take("a", { queue: 1 });
  world.take("b", { queue: 3 });
  await world.pass(25);
  assert.deepEqual(world.names(), ["a", "b"]);
  assert.deepEqual(refunds(), { 1: 1, 2: 1, 3: -1 }, "one item is still to come for its slot");
  assert.deepEqual(refunds(), {});
  world.desk.forget(item);
  assert.deepEqual(refunds(), { 1: 1 });
});

test("a request whose slot was void, or given back before it came, is not charged again", async (t) => {
  const world = new DeskWorld(t);
  const wish = { lane: LANE, queue: 1 };
  world.desk.expect(LANE, { queue: 1, seq: 9 });
  world.take("a");
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [10], lateMs: 5 });
  world.sleep(50);
  await world.pass(10);
  assert.deepEqual([world.desk.refunds(), world.desk.wishes()], [[], [{ ...wish, count: 1, again: 1 }]]);
  world.take("new");
  assert.deepEqual(world.desk.wishes(), [{ ...wish, count: 2, again: 1 }]);
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [10, 20], lateMs: 5 }, 1);
  await world.pass(30);
  assert.deepEqual([world.names(), world.desk.refunds()], [["a", "new"], []]);
  world.desk.missed(LANE, { queue: 1, seq: 1 });
  world.take("a");
  assert.deepEqual([world.desk.refunds(), world.desk.wishes()], [[], [{ ...wish, count: 1, again: 1 }]]);
});

test("who waits for a slot of an address waits for the lane alone once addresses have no rate", async (t) => {
  const world = new DeskWorld(t);
  const address = "address:203.0.113.7";
  for (const name of ["a", "b", "c"]) world.take(name, { address });
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [10], lateMs: 50, address });
  assert.deepEqual(world.desk.wishes(), [{ lane: LANE, queue: 1, count: 2, address }]);
  world.desk.forgetAddresses();
  assert.deepEqual(world.desk.wishes(), [{ lane: LANE, queue: 1, count: 2 }]);
  world.desk.grant({ lane: LANE, queue: 1, delaysMs: [20, 30], lateMs: 50 });
  await world.pass(40);
  assert.deepEqual(world.started, [
    ["a", 10],
    ["b", 20],
    ["c", 30],
  ]);
});
