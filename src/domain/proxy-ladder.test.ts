import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BOTTOM,
  chooseTier,
  climb,
  hasDearer,
  type LadderState,
  parseTierUse,
  type TierSign,
} from "./proxy-ladder.ts";

const LADDER = ["direct", "datacenter", "residential:us-tx"];
const MINUTE = 60_000;

/** Items one after the other, as one worker would run them. */
class Lane {
  state: LadderState = BOTTOM;
  now = 1_000;
  #items = 0;
  readonly attempts = [0, 0, 0];

  /** The tier that the next item used, and what came of it. */
  next(resultAt: (at: number) => TierSign["result"] | undefined): number {
    const chosen = chooseTier(this.state, LADDER, "w1", this.now);
    assert.ok("at" in chosen, JSON.stringify(chosen));
    const { at, isProbe } = chosen;
    this.attempts[at]!++;
    const result = resultAt(at);
    if (result) this.sign({ at, result, ...(isProbe && { isProbe }) });
    this.now += 100;
    return at;
  }

  sign(sign: Omit<TierSign, "item"> & { item?: string }, worker = "w1"): void {
    this.state = climb(this.state, { item: `${this.#items++}`, ...sign }, LADDER, worker, this.now);
  }
}

const blockedBelow = (right: number) => (at: number) => (at < right ? "blocked" : "good");

test("a lane is on the right tier after at most 3 refused items", () => {
  for (const right of [0, 1, 2]) {
    const lane = new Lane();
    let failures = 0;
    for (let n = 0; n < 20; n++) if (lane.next(blockedBelow(right)) < right) failures++;
    assert.equal(lane.state.at, right);
    assert.equal(failures, [0, 2, 3][right]);
  }
});

test("one item that is refused repeatedly does not move the lane", () => {
  const lane = new Lane();
  for (let n = 0; n < 10; n++) lane.sign({ at: 0, result: "blocked", item: "same" });
  assert.equal(lane.state.at, 0);
});

test("refused items between good ones are not evidence", () => {
  const lane = new Lane();
  for (let n = 0; n < 50; n++) {
    lane.sign({ at: 0, result: "blocked" });
    lane.sign({ at: 0, result: "good" });
  }
  assert.equal(lane.state.at, 0);
});

test("items that say nothing about the exit never use a more expensive tier", () => {
  const lane = new Lane();
  for (let n = 0; n < 1000; n++) lane.next(() => (n % 10 === 0 ? undefined : "good"));
  for (let n = 0; n < 100; n++) lane.next(() => undefined);
  assert.deepEqual(lane.attempts, [1100, 0, 0]);
});

test("the cheaper tier is tried after 50 good items, then after 100, then after every 200", () => {
  const lane = new Lane();
  for (let n = 0; n < 2; n++) lane.next(blockedBelow(1));
  const tried: number[] = [];
  let good = 0;
  for (let n = 0; n < 800; n++) {
    if (lane.next(blockedBelow(1)) === 1) good++;
    else tried.push(good);
  }
  assert.deepEqual(tried, [50, 150, 350, 550, 750]);
  assert.equal(lane.state.at, 1);
});

test("when the block ends, a lane on the top tier is at the bottom within 300 items", () => {
  const lane = new Lane();
  for (let n = 0; n < 2000; n++) lane.next(blockedBelow(2));
  assert.equal(lane.state.at, 2);
  let items = 0;
  while (lane.state.at > 0 && items < 1000) {
    lane.next(() => "good");
    items++;
  }
  assert.ok(items <= 300, `${items} items`);
  assert.equal(lane.state.why, "direct works again");
});

test("only the worker that was chosen tries the cheaper tier, and only for a minute", () => {
  const lane = new Lane();
  for (let n = 0; n < 2; n++) lane.sign({ at: 0, result: "blocked" });
  for (let n = 0; n < 50; n++) lane.sign({ at: 1, result: "good" }, "w2");
  const tierOf = (worker: string, now: number) => chooseTier(lane.state, LADDER, worker, now);
  assert.deepEqual(tierOf("w1", lane.now), { at: 1, isProbe: false });
  assert.deepEqual(tierOf("w2", lane.now), { at: 0, isProbe: true });
  assert.deepEqual(tierOf("w2", lane.now + MINUTE), { at: 1, isProbe: false });
});

test("late reports about a tier that the lane has left change nothing", () => {
  const lane = new Lane();
  for (let n = 0; n < 2; n++) lane.sign({ at: 0, result: "blocked" });
  const before = lane.state;
  for (let n = 0; n < 20; n++) lane.sign({ at: 0, result: n % 2 ? "blocked" : "good" });
  assert.deepEqual(lane.state, before);
});

test("a tier whose proxy fails three items is skipped, longer each time, and comes back", () => {
  const lane = new Lane();
  for (let n = 0; n < 2; n++) lane.sign({ at: 0, result: "blocked" });
  for (let n = 0; n < 3; n++) lane.sign({ at: 1, result: "proxy", detail: "407 wrong password" });
  assert.equal(lane.state.at, 2);
  assert.equal(lane.state.why, "datacenter is down: 407 wrong password");
  lane.now += MINUTE;
  const tiers: number[] = [];
  for (let n = 0; n < 60; n++) tiers.push(lane.next((at) => (at === 0 ? "blocked" : "good")));
  assert.equal(tiers.filter((at) => at === 1).length > 0, true);
  assert.equal(lane.state.at, 1);
});

test("without a working tier the lane is held until the first may work again, with the reason", () => {
  const lane = new Lane();
  const ladder = ["datacenter", "residential"];
  let state: LadderState = BOTTOM;
  for (const at of [0, 1])
    for (let n = 0; n < 3; n++)
      state = climb(
        state,
        { at, item: `${at}${n}`, result: "proxy", detail: "402 no money" },
        ladder,
        "w1",
        lane.now,
      );
  assert.deepEqual(chooseTier(state, ladder, "w1", lane.now), {
    heldUntil: lane.now + MINUTE,
    why: "no proxy tier works: datacenter: 402 no money; residential: 402 no money",
  });
  assert.deepEqual(chooseTier(state, ladder, "w1", lane.now + MINUTE), { at: 1, isProbe: false });
});

test("a refusal costs no attempt while a more expensive tier is left", () => {
  assert.equal(hasDearer(BOTTOM, 0, LADDER, 0), true);
  assert.equal(hasDearer({ ...BOTTOM, at: 2 }, 2, LADDER, 0), false);
  assert.equal(hasDearer({ ...BOTTOM, at: 2 }, 1, LADDER, 0), true, "the lane has moved meanwhile");
});

test("tiers are named with an optional country, state and city", () => {
  assert.deepEqual(parseTierUse("residential:us-tx/dallas"), {
    tier: "residential",
    country: "us",
    state: "tx",
    city: "dallas",
  });
  assert.deepEqual(parseTierUse("direct"), { tier: "direct" });
  for (const bad of ["", "Residential", "residential:", "residential:usa", "a b", "x:us-"])
    assert.equal(parseTierUse(bad), undefined, bad);
});
