import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  itemCosts,
  type ItemCosts,
  type LaneBacklog,
  type RunningWorker,
  type Scale,
  scale,
  scaleKindOf,
} from "./scale.ts";

const COST = { seconds: 1, requests: 1, cpuSeconds: 0.001, memoryMb: 1 };
const COSTS: ItemCosts = { http: COST, browser: { ...COST, seconds: 10, memoryMb: 300 } };
const WORKER: RunningWorker = { kinds: ["http"], capacity: { http: 200 }, cores: 1, memoryMb: 10_000 };

const lanesOf = (lanes: number, perSecond: number, own: Partial<LaneBacklog> = {}): LaneBacklog => {
  const ready = own.ready ?? 1000;
  return { kind: "http", perSecond, places: 100, ready, lanes, items: lanes * ready, ...own };
};

const useful = (
  lanes: readonly LaneBacklog[],
  workers: readonly RunningWorker[] = [],
  costs: ItemCosts = COSTS,
): Scale => scale({ lanes, workers, costs, startSeconds: 5 });

test("one lane needs one worker, many lanes need many, an empty backlog needs none", () => {
  assert.deepEqual(useful([lanesOf(1, 10)]).kinds.http, { workers: 1, lanes: 1, busy: 10, items: 1000 });
  assert.deepEqual(useful([lanesOf(500, 10)]).kinds.http.workers, 36);
  assert.deepEqual(useful([lanesOf(500, 1)]), {
    workers: 4,
    kinds: {
      http: { workers: 4, lanes: 500, busy: 500, items: 500_000 },
      browser: { workers: 0, lanes: 0, busy: 0, items: 0 },
    },
  });
  assert.equal(useful([]).workers, 0);
  assert.equal(useful([lanesOf(500, 10, { ready: 0 })]).workers, 0);
});

test("a slow lane needs one worker, however long its backlog is", () => {
  assert.equal(useful([lanesOf(1, 0.01, { ready: 1_000_000 })]).workers, 1);
});

test("a lane is as busy as its places, its items and its rate allow", () => {
  const busy = (lane: LaneBacklog, costs = COSTS): number => useful([lane], [], costs).kinds.http.busy;
  assert.equal(busy(lanesOf(1, Infinity, { places: 7 })), 7);
  assert.equal(busy(lanesOf(1, Infinity, { ready: 3 })), 3);
  assert.equal(busy(lanesOf(1, 10), { ...COSTS, http: { ...COST, requests: 5 } }), 2);
  assert.equal(busy(lanesOf(1, 10), { ...COSTS, http: { ...COST, seconds: 4 } }), 40);
});

test("CPU and memory ask for more workers than places do", () => {
  const lane = lanesOf(1, 100, { places: 1000 });
  assert.equal(useful([lane]).workers, 1);
  assert.equal(useful([lane], [], { ...COSTS, http: { ...COST, cpuSeconds: 0.02 } }).workers, 3);
  assert.equal(useful([lane], [{ ...WORKER, memoryMb: 40 }]).workers, 3);
});

test("kinds are counted separately; workers that take all kinds share their spare capacity", () => {
  const lanes = [lanesOf(1, 1), lanesOf(2, 1, { kind: "browser", places: 1, ready: 1, items: 2 })];
  const { workers, kinds } = useful(lanes);
  assert.deepEqual([workers, kinds.http.workers, kinds.browser.workers], [1, 1, 1]);
  assert.deepEqual(
    ["http", "browser", "browser"],
    [scaleKindOf(["http"]), scaleKindOf(["http", "auto"]), scaleKindOf(["recording"])],
  );
});

test("no more workers if those that run would have finished before another has started", () => {
  const lane = lanesOf(500, 10, { ready: 1 });
  assert.equal(useful([lane]).workers, 4);
  assert.equal(useful([lane], [WORKER]).workers, 1);
  assert.equal(useful([lanesOf(500, 10, { ready: 9 })], [WORKER]).workers, 33);
  assert.equal(
    useful([lane], [{ ...WORKER, kinds: ["browser"] }]).workers,
    4,
    "the one that runs takes none of it",
  );
});

test("the cost of an item is the recent measurement, else any earlier one, else a default", () => {
  const ever = {
    "http items": 1000,
    "http item seconds": 500,
    "http item requests": 3000,
    "http cpu seconds": 4,
  };
  const now = {
    "http items": 1100,
    "http item seconds": 1000,
    "http item requests": 3100,
    "http cpu seconds": 5,
  };
  assert.deepEqual(itemCosts(now, ever).http, { seconds: 5, requests: 1, cpuSeconds: 0.01, memoryMb: 2 });
  assert.deepEqual(itemCosts(ever, ever).http, { seconds: 0.5, requests: 3, cpuSeconds: 0.004, memoryMb: 2 });
  assert.deepEqual(itemCosts({ "http items": 3 }), itemCosts({}));
});

const backlog = fc
  .record({
    kind: fc.constantFrom("http" as const, "browser" as const),
    perSecond: fc.constantFrom(0.001, 0.5, 1, 10, 300, Infinity),
    places: fc.integer({ min: 1, max: 1000 }),
    ready: fc.integer({ min: 0, max: 5000 }),
    lanes: fc.integer({ min: 1, max: 500 }),
  })
  .map((lane): LaneBacklog => ({ ...lane, items: lane.lanes * lane.ready }));

const fleet = fc.array(
  fc.record({
    kinds: fc.constantFrom<RunningWorker["kinds"]>(["http"], ["browser"], ["http", "browser"]),
    capacity: fc.constantFrom({ http: 1 }, { http: 200, browser: 3 }, {}),
    cores: fc.constantFrom(0.25, 1, 8),
    memoryMb: fc.constantFrom(256, 8192),
  }),
  { maxLength: 5 },
);

test("more backlog never needs fewer workers", () => {
  fc.assert(
    fc.property(
      fc.array(backlog, { maxLength: 6 }),
      fleet,
      fc.nat(5),
      fc.nat(300),
      (lanes, workers, at, more) => {
        const grown = lanes.map((lane, n) => {
          const ready = lane.ready + (n === at ? more : 0);
          return { ...lane, ready, items: lane.lanes * ready };
        });
        const [before, after] = [useful(lanes, workers), useful(grown, workers)];
        assert.ok(after.workers >= before.workers);
        for (const kind of ["http", "browser"] as const)
          assert.ok(after.kinds[kind].workers >= before.kinds[kind].workers);
      },
    ),
  );
});

test("never more workers than items that can run at once, and none only without items", () => {
  fc.assert(
    fc.property(fc.array(backlog, { maxLength: 6 }), fleet, (lanes, workers) => {
      const { kinds, workers: all } = useful(lanes, workers);
      for (const kind of ["http", "browser"] as const) {
        const own = lanes.filter((lane) => lane.kind === kind);
        const atOnce = own.reduce((sum, lane) => sum + lane.lanes * Math.min(lane.places, lane.ready), 0);
        assert.ok(kinds[kind].workers <= atOnce);
        assert.equal(
          kinds[kind].workers === 0,
          own.every(({ items }) => items === 0),
        );
      }
      assert.ok(all <= kinds.http.workers + kinds.browser.workers);
      assert.equal(
        all === 0,
        lanes.every(({ items }) => items === 0),
      );
    }),
  );
});
