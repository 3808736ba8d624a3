import assert from "node:assert/strict";
import { test } from "node:test";
import { FailureError, StopError, type FailureKind } from "../domain/failure.ts";
import { BOTTOM } from "../domain/proxy-ladder.ts";
import type { TierReport } from "../ports/ledger.ts";
import { microCost, ProxyTiers } from "./proxy-tiers.ts";

const LADDER = ["direct", "datacenter", "residential:us-tx"];
const NOW = 1_000_000;

const open = () => {
  const reports: TierReport[] = [];
  const tiers = new ProxyTiers({
    worker: "w1",
    known: { has: (use) => use !== "residential:us-tx", priceOf: () => ({ perGB: 2, perRequest: 0.001 }) },
    onSign: (report) => reports.push(report),
    clock: () => NOW,
  });
  let seq = 0;
  const take = (isSticky = true) => tiers.take({ lane: "site", queue: 1, seq: seq++ }, LADDER, isSticky);
  const at = (place: number, now = NOW) =>
    tiers.hear({ lane: "site", ladder: LADDER, state: { ...BOTTOM, at: place, isProven: true }, now });
  return { tiers, reports, take, at };
};

const failure = (kind: FailureKind) => ({ kind, detail: "it did not work" });

test("items connect directly until two are refused, and the ledger's state comes first", () => {
  const { tiers, take, at, reports } = open();
  assert.equal(take().route, undefined);
  for (let n = 0; n < 2; n++) take().report(failure("blocked"), 0, undefined);
  assert.equal(take().route?.tier, "datacenter");
  at(0);
  assert.equal(take().route?.tier, "datacenter", "the ledger had not heard of it");
  at(0, NOW + 60_000);
  assert.equal(take().route?.tier, "datacenter", "nor had it a minute later");
  tiers.acknowledge(reports);
  at(1, NOW + 60_001);
  at(0, NOW + 60_000);
  assert.equal(take().route?.tier, "datacenter", "an answer that was overtaken");
  at(0, NOW + 60_002);
  assert.equal(take().route, undefined);
  assert.deepEqual(
    reports.map(({ sign }) => [sign.at, sign.item, sign.result]),
    [
      [0, "1/1", "blocked"],
      [0, "1/2", "blocked"],
    ],
  );
});

test("failures that do not concern the exit are not reported", () => {
  const { take, at, reports } = open();
  at(1);
  for (const kind of [
    "timeout",
    "connection",
    "server-error",
    "navigation",
    "maintenance",
    "browser",
  ] as const)
    take().report(failure(kind), 0, undefined);
  take().report(failure("rate-limited"), 0, undefined);
  assert.equal(reports.length, 0);
  take().report(failure("rate-limited"), 3, undefined);
  assert.equal(reports[0]?.sign.result, "blocked", "the lane has slowed down, and the site still refuses");
});

test("good items are reported only if they change something", () => {
  const { take, at, reports } = open();
  take().report(undefined, 0, undefined);
  assert.equal(reports.length, 0);
  at(1);
  take().report(undefined, 0, undefined);
  assert.equal(reports[0]?.sign.result, "good");
});

test("items of a lane share an exit until it is refused; otherwise each has its own", () => {
  const { take, at } = open();
  at(1);
  const first = take();
  assert.equal(take().route?.session, first.route?.session);
  assert.notEqual(take(false).route?.session, take(false).route?.session);
  first.report(failure("proxy"), 0, undefined);
  assert.notEqual(take().route?.session, first.route?.session);
  assert.match(take().route?.session ?? "", /^[0-9a-z]{8,12}$/);
});

test("the chosen worker tries the cheaper tier with one item only", () => {
  const { tiers, take } = open();
  tiers.hear({
    lane: "site",
    ladder: LADDER,
    state: { ...BOTTOM, at: 1, probe: { at: 0, worker: "w1", until: NOW + 1 } },
    now: NOW,
  });
  assert.equal(take().route, undefined);
  assert.equal(take().route?.tier, "datacenter");
});

test("a refusal costs no attempt while a more expensive tier is left", () => {
  const { take, at } = open();
  assert.equal(take().canMove(failure("blocked"), undefined), true);
  assert.equal(take().canMove(failure("timeout"), undefined), false);
  at(2);
  assert.equal(take().canMove(failure("blocked"), undefined), false);
});

test("a tier that this worker does not know is a proxy failure, and a ladder without a working tier stops the item", () => {
  const { tiers, take, at } = open();
  at(2);
  assert.throws(
    () => take().route,
    (error) =>
      error instanceof FailureError &&
      error.failure.kind === "proxy" &&
      /sluice\.config\.ts/.test(error.message),
  );
  const down = { items: [], until: NOW + 5, times: 1, why: "407" };
  tiers.hear({
    lane: "site",
    ladder: LADDER,
    state: { ...BOTTOM, outages: { 0: down, 1: down, 2: down } },
    now: NOW,
  });
  assert.throws(take, StopError);
});

test("costs are integers in millionths, by the tier's price", () => {
  const { take, at } = open();
  assert.deepEqual(take().costs(3, 1_000), {});
  at(1);
  assert.deepEqual(take().costs(3, 1_500_000), {
    proxied: [{ tier: "datacenter", requests: 3, bytes: 1_500_000, microCost: 6_000 }],
  });
  assert.equal(microCost({ perGB: 8.4 }, 0, 1e9), 8_400_000);
});
