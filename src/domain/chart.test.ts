import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isTripped, learn, newChart, pastScores, restart, stepChart, TRIP, type Chart } from "./chart.ts";
import { seededRandom } from "./testing/seeded-random.ts";

const run = (chart: Chart, p0: number, outcomes: readonly number[]): Chart =>
  outcomes.reduce((current, badness) => stepChart(current, badness, p0), chart);

const clean = newChart(0, 1000);
const anyP0 = fc.double({ min: 0.05, max: 0.97, noNaN: true });
const anyBadness = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));

test("at the lowest baseline the seventh straight bad outcome trips, the sixth does not", () => {
  assert.equal(isTripped(run(clean, 0.05, Array(6).fill(1))), false);
  assert.equal(isTripped(run(clean, 0.05, Array(7).fill(1))), true);
});

test("a single step has mean factor at most one while the bad share is at most p0, for any weight of a bad outcome", () => {
  // The premise of the error bound: e^score grows no faster than a supermartingale.
  const high: Chart = { ...clean, score: 10 };
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(anyP0, share, share, (p0, part, badness) => {
      const q = part * p0;
      const factor = (outcome: number) => Math.exp(stepChart(high, outcome, p0).score - high.score);
      assert.ok(q * factor(badness) + (1 - q) * factor(0) <= 1 + 1e-12);
    }),
  );
});

test("the limit keeps false trips in 100,000 outcomes at one in a thousand", () => {
  assert.ok(100_000 * Math.exp(-TRIP) <= 0.001 * (1 + 1e-9));
});

test("by chance, scores rise as rarely as the bound says", () => {
  // At a lower level the same bound can be seen: at most n / 1000 of the climbs from zero reach ln 1000.
  const random = seededRandom(1);
  const [outcomes, level] = [2_000_000, Math.log(1000)];
  let [chart, climbs, isUp] = [clean, 0, false];
  for (let i = 0; i < outcomes; i++) {
    chart = stepChart(chart, random() < 0.05 ? 1 : 0, 0.05);
    if (chart.score === 0) isUp = false;
    if (chart.score >= level && !isUp) {
      isUp = true;
      climbs++;
    }
  }
  assert.ok(climbs > 0 && climbs <= outcomes / 1000, `${climbs} climbs`);
});

test("past success earns no credit", () => {
  const proud = run(clean, 0.05, Array(500).fill(0));
  assert.equal(proud.score, 0);
  assert.equal(isTripped(run(proud, 0.05, Array(7).fill(1))), true);
});

test("nothing is learned during a problem", () => {
  const troubled = run(newChart(0.02, 100), 0.05, [1, 1, 0, 1]);
  assert.deepEqual([troubled.usual, troubled.bad, troubled.total], [0.02, 3, 4]);
  const over = run(troubled, 0.05, [0, 0, 0]);
  assert.deepEqual(over, newChart((2 + 3) / 107, 107));
});

test("old outcomes lose their weight after about a thousand", () => {
  const chart = run(newChart(0.3, 1000), 0.35, Array(1000).fill(0));
  assert.ok(Math.abs(chart.usual - 0.3 / Math.E) < 0.001);
  assert.equal(chart.weight, 1000);
});

test("the usual share stays a share, and the evidence stays within what was seen", () => {
  fc.assert(
    fc.property(fc.array(anyBadness, { maxLength: 300 }), anyP0, (outcomes, p0) => {
      const chart = run(newChart(0.02, 50), p0, outcomes);
      assert.ok(chart.usual >= 0 && chart.usual <= 1 && chart.score >= 0);
      assert.ok(chart.bad <= chart.total && chart.total <= outcomes.length);
      assert.ok(learn(chart).usual >= 0 && learn(chart).usual <= 1);
    }),
  );
});

test("a chart remembers when its problem began", () => {
  let chart = stepChart(clean, 0, 0.05, 10);
  for (const nowMs of [20, 30, 40]) chart = stepChart(chart, 1, 0.05, nowMs);
  assert.equal(chart.sinceMs, 20);
  assert.equal(restart(chart).sinceMs, 0);
});

test("the way to a score can be computed backwards", () => {
  const outcomes = [1, 0, 1, 1, 0.5, 1];
  const scores: number[] = [];
  let chart: Chart = newChart(0.02, 50);
  for (const badness of outcomes) {
    chart = stepChart(chart, badness, 0.05);
    scores.push(Math.round(chart.score * 100) / 100);
  }
  assert.deepEqual(pastScores(chart, outcomes.slice(-chart.total), 0.05), scores.slice(-chart.total));
});
