import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { FAILURE_KINDS } from "./failure.ts";
import {
  effectiveConcurrency,
  effectivePerSecond,
  FULL_SPEED,
  onOutcome,
  onOutcomes,
  recover,
  type LaneOutcome,
  type LaneSpeed,
} from "./lane-speed.ts";
import { seededRandom } from "./testing/seeded-random.ts";

const START = 1_790_000_000_000;
const calm: LaneSpeed = { ...FULL_SPEED, changedAtMs: START };

const after = (speed: LaneSpeed, kinds: readonly LaneOutcome["kind"][], nowMs = START): LaneSpeed =>
  kinds.reduce((current, kind) => onOutcome(current, { kind, nowMs }), speed);

const anyKind = fc.constantFrom("ok" as const, ...FAILURE_KINDS);
const anyEvent = fc.record({
  kind: anyKind,
  gapMs: fc.oneof(fc.nat(500), fc.nat(20_000), fc.integer({ min: -5000, max: 0 })),
  count: fc.integer({ min: 1, max: 50 }),
});
const anyHistory = fc.array(anyEvent, { maxLength: 60 });

function live(events: readonly { kind: LaneOutcome["kind"]; gapMs: number; count: number }[]) {
  let [speed, nowMs] = [calm, START];
  for (const { kind, gapMs, count } of events) {
    nowMs += gapMs;
    speed = onOutcome(speed, { kind, count, nowMs });
  }
  return { speed, nowMs };
}

test("one throttle halves the speed at once, a maintenance page only if there are others", () => {
  assert.equal(after(calm, ["rate-limited"]).factor, 0.5);
  assert.equal(after(calm, ["maintenance"]).factor, 1);
  assert.equal(onOutcome(calm, { kind: "maintenance", count: 11, nowMs: START }).factor, 0.5);
  assert.equal(onOutcome(calm, { kind: "server-error", count: 11, nowMs: START }).factor, 0.5);
  assert.equal(onOutcome(calm, { kind: "blocked", count: 11, nowMs: START }).factor, 1);
});

test("the throttles of one congestion count as one, those after two seconds as another", () => {
  const once = after(calm, ["rate-limited", "rate-limited", "rate-limited"]);
  assert.equal(once.factor, 0.5);
  assert.equal(after(once, ["rate-limited"], START + 1999).factor, 0.5);
  assert.equal(after(once, ["rate-limited"], START + 2000).factor, 0.25);
});

test("a throttle right after an increase is still answered", () => {
  const halved = after(calm, ["rate-limited"]);
  const raised = after(halved, ["ok"], START + 2000);
  assert.equal(raised.factor, 0.5625);
  assert.equal(after(raised, ["rate-limited"], START + 2001).factor, 0.28125);
});

test("a few timeouts in a healthy lane change nothing, many in a row slow it", () => {
  assert.equal(after(calm, Array(10).fill("timeout")).factor, 1);
  assert.equal(after(calm, Array(11).fill("timeout")).factor, 0.5);
});

test("a lane in which every fourth request times out is slowed", () => {
  const kinds = Array.from({ length: 80 }, (_, i) => (i % 4 ? "ok" : "timeout"));
  assert.equal(after(calm, kinds).factor, 0.5);
});

test("once timeouts have slowed a lane, it takes as many again to slow it further", () => {
  const slowed = after(calm, Array(11).fill("timeout"));
  assert.equal(after(slowed, Array(10).fill("timeout"), START + 3000).factor, 0.5);
  assert.equal(after(slowed, Array(11).fill("timeout"), START + 3000).factor, 0.25);
});

test("a good answer does not slow a lane, however strained it is", () => {
  const strained = after(calm, ["rate-limited", ...Array(20).fill("timeout")]);
  assert.equal(after(strained, ["ok"], START + 1999).factor, 0.5);
});

test("outcomes reported together count by their share, not by their order", () => {
  const mixed: LaneOutcome[] = [
    { kind: "timeout", count: 50 },
    { kind: "ok", count: 950 },
  ];
  const told = onOutcomes(calm, mixed, START);
  assert.equal(told.factor, 1);
  assert.deepEqual(onOutcomes(calm, mixed.toReversed(), START), told);
});

test("speed recovers by a sixteenth for every two quiet seconds, and only while answers are good", () => {
  const halved = after(calm, ["rate-limited"]);
  assert.equal(after(halved, ["ok"], START + 1999).factor, 0.5);
  assert.equal(after(halved, ["ok"], START + 2000).factor, 0.5625);
  assert.equal(after(halved, ["ok"], START + 5000).factor, 0.625);
  assert.equal(after(halved, ["structure-changed"], START + 5000).factor, 0.5);
});

test("quiet time starts again with every throttle, and with every timeout in a strained lane", () => {
  const again = after(after(calm, ["rate-limited"]), ["rate-limited"], START + 1500);
  assert.equal(after(again, ["ok"], START + 3499).factor, 0.5);
  assert.equal(after(again, ["ok"], START + 3500).factor, 0.5625);
  const uneasy = after(after(calm, ["rate-limited"]), Array(8).fill("timeout"), START + 1500);
  assert.equal(after(uneasy, ["ok"], START + 3499).factor, 0.5);
  const easy = after(after(calm, ["rate-limited"]), ["timeout"], START + 1500);
  assert.equal(after(easy, ["ok"], START + 2000).factor, 0.5625);
});

test("a scraper may say that a kind does not slow its lane, or that another one does", () => {
  const often = { count: 11, nowMs: START };
  assert.equal(onOutcome(calm, { kind: "rate-limited", slows: false, ...often }).factor, 1);
  assert.equal(onOutcome(calm, { kind: "timeout", slows: false, ...often }).factor, 1);
  assert.equal(onOutcome(calm, { kind: "connection", slows: true, ...often }).factor, 0.5);
  assert.equal(onOutcome(calm, { kind: "connection", ...often }).factor, 1);
});

test("the factor changes the rate or, in a lane without a rate, the concurrency, down to one", () => {
  assert.equal(effectivePerSecond(10, 0.25), 2.5);
  assert.equal(effectiveConcurrency({ perSecond: 10, concurrency: 8 }, 0.25), 8);
  assert.equal(effectiveConcurrency({ perSecond: Infinity, concurrency: 8 }, 0.25), 2);
  assert.equal(effectiveConcurrency({ perSecond: Infinity, concurrency: 8 }, 1 / 64), 1);
});

test("whatever happens, the factor stays between 1/64 and 1, the strain between 0 and 1", () => {
  fc.assert(
    fc.property(anyHistory, (events) => {
      const { speed } = live(events);
      assert.ok(speed.factor >= 1 / 64 && speed.factor <= 1);
      assert.ok(speed.strain >= 0 && speed.strain <= 1);
    }),
  );
});

test("no failure makes a lane faster and no good answer makes it slower", () => {
  fc.assert(
    fc.property(anyHistory, anyEvent, (events, { kind, gapMs, count }) => {
      const { speed, nowMs } = live(events);
      const { factor } = onOutcome(speed, { kind, count, nowMs: nowMs + gapMs });
      assert.ok(kind === "ok" ? factor >= speed.factor : factor <= speed.factor);
    }),
  );
});

test("more quiet time never means less speed, and thirty-two seconds restore full speed", () => {
  fc.assert(
    fc.property(anyHistory, fc.nat(100_000), fc.nat(100_000), (events, aMs, bMs) => {
      const { speed, nowMs } = live(events);
      const [less, more] = [Math.min(aMs, bMs), Math.max(aMs, bMs)];
      const base = recover(speed, nowMs);
      assert.ok(recover(base, nowMs + more).factor >= recover(base, nowMs + less).factor);
      assert.equal(recover(base, nowMs + 32_000).factor, 1);
      const inTwoSteps = recover(recover(base, nowMs + less), nowMs + more);
      assert.deepEqual(inTwoSteps, recover(base, nowMs + more));
    }),
  );
});

test("a clock that was set back stops neither the recovery nor the next decrease", () => {
  const halved = after(calm, ["rate-limited"]);
  assert.equal(after(halved, ["rate-limited"], START - 3_600_000).factor, 0.25);
  const back = recover(halved, START - 3_600_000);
  assert.equal(recover(back, START - 3_600_000 + 32_000).factor, 1);
});

for (const perSecond of [1, 10, 100, 1000])
  test(`two per cent of random timeouts leave a lane of ${perSecond}/s at its speed over 100,000 outcomes`, () => {
    const random = seededRandom(perSecond + 1);
    let [speed, nowMs, slow] = [calm, START, 0];
    for (let i = 0; i < 100_000; i++) {
      nowMs += 1000 / effectivePerSecond(perSecond, speed.factor);
      speed = onOutcome(speed, { kind: random() < 0.02 ? "timeout" : "ok", nowMs });
      if (speed.factor < 0.9) slow++;
    }
    assert.ok(slow < 1000, `${slow} outcomes below nine tenths of the speed`);
  });

test("a site that answers 6 a second and throttles the rest settles near 6, not at the floor", () => {
  let [speed, nowMs, sum, answered] = [calm, START, 0, 0];
  const rounds = 20_000;
  for (let i = 0; i < rounds; i++) {
    nowMs += 1000 / effectivePerSecond(10, speed.factor);
    const isTooFast = effectivePerSecond(10, speed.factor) > 6;
    speed = onOutcome(speed, { kind: isTooFast ? "rate-limited" : "ok", nowMs });
    sum += 1000 / effectivePerSecond(10, speed.factor);
    if (!isTooFast) answered++;
  }
  const perSecond = (answered / sum) * 1000;
  assert.ok(perSecond > 3 && perSecond <= 6, `${perSecond}`);
  assert.ok(answered / rounds > 0.9, "few requests are spent on throttles");
});
