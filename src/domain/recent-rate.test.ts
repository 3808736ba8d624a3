import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentRate } from "./recent-rate.ts";

test("there is no rate before two moments are known", () => {
  const rate = new RecentRate(10_000);
  assert.equal(rate.perSecond, undefined);
  rate.add(5, 1000);
  assert.equal(rate.perSecond, undefined);
  rate.add(15, 3000);
  assert.equal(rate.perSecond, 5);
});

test("values before the window are forgotten", () => {
  const rate = new RecentRate(10_000);
  for (let second = 0; second <= 100; second++) rate.add(second * 50, second * 1000);
  for (let second = 101; second <= 120; second++) rate.add(5000 + (second - 100) * 2, second * 1000);
  assert.equal(rate.perSecond, 2);
});

test("updates many times a second give the same rate as one a second", () => {
  const rate = new RecentRate(10_000);
  for (let at = 0; at <= 60_000; at += 50) rate.add(at / 10, at);
  assert.equal(rate.perSecond, 100);
});

test("a falling count starts a new measurement", () => {
  const rate = new RecentRate(10_000);
  rate.add(100, 0);
  rate.add(200, 1000);
  rate.add(150, 2000);
  assert.equal(rate.perSecond, undefined);
  rate.add(151, 3000);
  assert.equal(rate.perSecond, 1);
});
