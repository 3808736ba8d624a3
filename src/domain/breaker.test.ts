import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import {
  appendRecent,
  type BreakerOutcome,
  type BreakerState,
  coolDownMs,
  isDoubtful,
  readRecent,
  type RecentResult,
  reset,
  seedBreaker,
  step,
} from "./breaker.ts";
import { FAILURE_KINDS, type FailureKind, failurePolicy } from "./failure.ts";

const FIELDS = Array.from({ length: 10 }, (_, i) => `field${i}`);
const WEIGHTY = FAILURE_KINDS.filter((kind) => failurePolicy(kind).breakerWeight > 0);

const times = (count: number, outcome: BreakerOutcome): BreakerOutcome[] => Array(count).fill(outcome);
const failures = (count: number, kind: FailureKind) => times(count, { result: kind });

/** Steps until the first trip, which is counted from 1. */
function watch(from: BreakerState, outcomes: readonly BreakerOutcome[]) {
  let state = from;
  for (const [i, outcome] of outcomes.entries()) {
    const next = step(state, outcome);
    state = next.state;
    if (next.tripped) return { state, at: i + 1, tripped: next.tripped };
  }
  return { state, at: undefined, tripped: undefined };
}

/** 500 items, 2 % of them failed, 2 % absent. */
const healthy = watch(
  seedBreaker(),
  Array.from({ length: 500 }, (_, i) => ({
    result: i % 50 === 10 ? "timeout" : i % 50 === 30 ? "absent" : "done",
  })),
).state;

const anyOutcome: fc.Arbitrary<BreakerOutcome> = fc.record({
  result: fc.oneof(
    { arbitrary: fc.constantFrom("done" as const, "absent" as const), weight: 2 },
    { arbitrary: fc.constantFrom(...FAILURE_KINDS), weight: 1 },
  ),
  missing: fc.subarray(FIELDS.slice(0, 3)),
});
/** Any state that a job can reach: periods in which every n-th item ends in some way, resumed holds, successive jobs. */
const anySpell = fc.record({
  outcome: anyOutcome,
  every: fc.integer({ min: 1, max: 6 }),
  count: fc.oneof(fc.nat(30), fc.nat(1500)),
  isNewJob: fc.boolean(),
});
const anyState = fc.array(anySpell, { maxLength: 10 }).map((spells) => {
  let state = seedBreaker();
  for (const { outcome, every, count, isNewJob } of spells) {
    if (isNewJob) state = seedBreaker(state);
    for (let i = 0; i < count; i++) {
      const next = step(state, i % every === 0 ? outcome : { result: "done" });
      state = next.tripped ? reset(next.state) : next.state;
    }
  }
  return state;
});

test("a layout change trips on the seventh failure of a healthy job", () => {
  const { at, tripped } = watch(healthy, failures(20, "structure-changed"));
  assert.equal(at, 7);
  assert.equal(tripped?.chart, "failures");
  assert.equal(tripped?.heals, false);
  assert.equal(tripped?.counts["structure-changed"], 7);
});

test("a job that fails from its first item on trips on the seventh, too", () => {
  assert.equal(watch(seedBreaker(), failures(20, "navigation")).at, 7);
});

test("five failures in a row do not trip a healthy job, even if they repeat", () => {
  const burst = [...failures(5, "timeout"), ...times(45, { result: "done" })];
  assert.equal(watch(healthy, Array.from({ length: 40 }, () => burst).flat()).at, undefined);
});

test("twenty straight failures trip from every state that a job can reach", () => {
  const anyStreak = fc.array(fc.constantFrom(...WEIGHTY), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(anyState, anyStreak, (state, kinds) => {
      assert.ok(
        watch(
          state,
          kinds.map((result) => ({ result })),
        ).tripped,
      );
    }),
    { numRuns: 300 },
  );
});

test("twenty records in a row without a required field trip from every state, too", () => {
  fc.assert(
    fc.property(anyState, (state) => {
      assert.ok(watch(state, times(20, { result: "done", missing: ["field1"] })).tripped);
    }),
  );
});

test("a change that loses three of ten required fields trips on the seventh record and names the three", () => {
  const { at, tripped } = watch(healthy, times(20, { result: "done", missing: FIELDS.slice(2, 5) }));
  assert.equal(at, 7);
  assert.equal(tripped?.chart, "missing:field2");
  for (const field of FIELDS)
    assert.equal(tripped?.reason.includes(field), FIELDS.slice(2, 5).includes(field));
});

test("a field that is often missing is learned as normal, and its loss is still noticed", () => {
  const mixed = times(2000, { result: "done" }).map((outcome, i) =>
    i % 5 ? outcome : { ...outcome, missing: ["phone"] },
  );
  const learned = watch(seedBreaker(), mixed);
  assert.equal(learned.at, undefined);
  const { at } = watch(learned.state, times(30, { result: "done", missing: ["phone"] }));
  assert.ok(at && at > 7 && at <= 20);
});

test("a search form that suddenly finds nothing trips within ten items", () => {
  const { at, tripped } = watch(healthy, times(50, { result: "absent" }));
  assert.ok(at && at <= 10, `${at}`);
  assert.equal(tripped?.chart, "absent");
  assert.equal(tripped?.heals, false);
});

test("a search form that never finds anything trips on the fortieth item", () => {
  assert.equal(watch(seedBreaker(), times(100, { result: "absent" })).at, 40);
});

test("after a person resumes a job with too many absents, the usual share is learned again", () => {
  const tripped = watch(healthy, times(50, { result: "absent" })).state;
  const sparse = Array.from({ length: 1000 }, (_, i) => ({ result: i % 10 ? "absent" : "done" }) as const);
  assert.ok(watch(healthy, sparse).tripped);
  assert.equal(watch(reset(tripped), sparse).tripped, undefined);
});

test("outcomes that say nothing about the site change no chart", () => {
  const silent = FAILURE_KINDS.filter((kind) => !WEIGHTY.includes(kind));
  for (const kind of silent) {
    const { state, at } = watch(healthy, failures(200, kind));
    assert.equal(at, undefined, kind);
    assert.deepEqual({ ...state, recent: "" }, { ...healthy, recent: "" });
  }
});

test("failures between absents and records say nothing about absents", () => {
  const { state } = watch(healthy, [...times(3, { result: "absent" }), ...failures(3, "timeout")]);
  assert.deepEqual(state.absent, watch(healthy, times(3, { result: "absent" })).state.absent);
});

test("a scraper may give a kind another weight", () => {
  const throttled = failures(7, "rate-limited").reduce(
    (state, outcome) => step(state, outcome, { "rate-limited": { breakerWeight: 1 } }).state,
    healthy,
  );
  assert.ok(step(throttled, { result: "timeout" }).tripped);
  assert.equal(
    step(healthy, { result: "timeout" }, { timeout: { breakerWeight: 0 } }).state.failures,
    healthy.failures,
  );
});

test("a failure counts at most once, whatever its weight", () => {
  const { state } = step(healthy, { result: "timeout" }, { timeout: { breakerWeight: 9 } });
  assert.deepEqual(state.failures, step(healthy, { result: "timeout" }).state.failures);
});

test("a field that is missing for the first time after many records is known to be rarely missing", () => {
  const rare = [{ result: "done", missing: ["owner"] } as const, ...times(5, { result: "done" })];
  const { state } = watch(healthy, rare);
  assert.ok(state.missing[0]!.chart.usual < 0.01);
});

test("a trip heals by itself only if every kind of failure in it does", () => {
  const old = [...failures(1, "scraper-error"), ...times(10, { result: "done" })];
  assert.equal(watch(healthy, [...old, ...failures(9, "maintenance")]).tripped?.heals, true);
  const ours = [
    ...failures(3, "maintenance"),
    ...failures(1, "invalid-input"),
    ...failures(9, "maintenance"),
  ];
  assert.equal(watch(healthy, ours).tripped?.heals, true);
  const mixed = [...failures(1, "scraper-error"), ...failures(9, "maintenance")];
  assert.equal(watch(healthy, mixed).tripped?.heals, false);
});

test("evidence says when the problem began", () => {
  const at = [10, 20, 30, 40, 50, 60, 70];
  const { tripped } = watch(
    healthy,
    at.map((nowMs) => ({ result: "blocked", nowMs })),
  );
  assert.equal(tripped?.sinceMs, 10);
});

test("a resumed job starts with clear charts and its usual shares", () => {
  const { state } = watch(healthy, failures(7, "blocked"));
  const resumed = reset(state);
  assert.equal(resumed.failures.usual, healthy.failures.usual);
  assert.equal(watch(resumed, failures(20, "blocked")).at, 7);
});

test("the next job of a scraper starts from what was usual in the last one", () => {
  const rough = Array.from({ length: 3000 }, (_, i) => ({ result: i % 5 ? "done" : "timeout" }) as const);
  const next = seedBreaker(watch(seedBreaker(), rough).state);
  const pairs = [...failures(8, "timeout"), ...times(4, { result: "done" })];
  assert.equal(watch(seedBreaker(), pairs).at, 7);
  assert.equal(watch(next, pairs).at, undefined);
  assert.equal(next.failures.weight, 200, "and learns faster than a long job does");
});

test("the state survives a ledger: JSON brings it back unchanged, and it stays small", () => {
  fc.assert(
    fc.property(anyState, (state) => {
      const json = JSON.stringify(state);
      assert.deepEqual(JSON.parse(json), state);
      assert.ok(json.length < 1500, json);
    }),
  );
});

test("a held lane is probed after a minute, then after twice as long each time, at last every hour", () => {
  const minutes = [1, 2, 3, 6, 7, 50].map((trips) => coolDownMs(trips) / 60_000);
  assert.deepEqual(minutes, [1, 2, 4, 32, 60, 60]);
});

test("three failures in a row make a queue doubtful, two do not, and a few successes end it", () => {
  const after = (outcomes: readonly BreakerOutcome[]) => isDoubtful(watch(healthy, outcomes).state);
  assert.equal(after(failures(2, "timeout")), false);
  assert.equal(after(failures(3, "timeout")), true);
  assert.equal(after(times(3, { result: "done", missing: ["field1"] })), true);
  assert.equal(after([...failures(3, "timeout"), ...times(3, { result: "done" })]), false);
});

test("usual shares are reported only for a lane with enough outcomes", () => {
  const broken = failures(30, "server-error");
  const first = watch(seedBreaker(), broken).tripped!;
  assert.match(first.reason, /^\d+ of the last \d+ attempts failed: /);
  const later = watch(seedBreaker(healthy), broken).tripped!;
  assert.match(later.reason, /attempts \(usually 2 %\) failed: /);
  const absent = watch(seedBreaker(), times(300, { result: "absent" })).tripped;
  assert.ok(absent === undefined || !absent.reason.includes("usually"));
});

const anyResult = fc.constantFrom<RecentResult>("done", "absent", ...FAILURE_KINDS);

test("the last fifty results are stored as one letter each and read back in order", () => {
  fc.assert(
    fc.property(fc.array(anyResult, { maxLength: 120 }), (results) => {
      const recent = results.reduce(appendRecent, "");
      assert.deepEqual(readRecent(recent), results.slice(-50));
      assert.equal(recent.length, Math.min(50, results.length));
    }),
  );
});
