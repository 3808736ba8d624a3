import assert from "node:assert/strict";
import { test } from "node:test";
import { FrameMaker } from "./progress-frame.ts";
import { type Sample, sampleView } from "./sample-view.ts";

const etaAfter = (sample: Sample): number | undefined => {
  const frames = new FrameMaker();
  frames.frame(sampleView({ states: { queued: 100 } }), [], { processes: 1 }, 0);
  return frames.frame(sampleView(sample), [], { processes: 1 }, 4000).etaMs;
};

test("the time left is what is left at the pace so far", () => {
  assert.equal(etaAfter({ states: { done: 15, absent: 3, failed: 2, queued: 70, leased: 10 } }), 16_000);
});

test("there is no time left to tell while inputs come, while nothing moves, and when it is over", () => {
  assert.equal(etaAfter({ states: { done: 20, queued: 80 }, isSealed: false }), undefined);
  assert.equal(etaAfter({ states: { queued: 100 } }), undefined);
  assert.equal(etaAfter({ states: { done: 20, queued: 80 }, state: "paused" }), undefined);
  assert.equal(etaAfter({ states: { done: 100 }, state: "done" }), undefined);
});

test("items that only wait for their time have no pace", () => {
  assert.equal(etaAfter({ states: { done: 99, waiting: 1 } }), undefined);
});

test("items that a cancel or a spent budget ended all at once do not count as speed", () => {
  const frames = new FrameMaker();
  frames.frame(sampleView({ states: { queued: 1000 } }), [], { processes: 1 }, 0);
  const budget = { kind: "budget", count: 400, exampleKey: "", exampleDetail: "" } as const;
  const view = {
    ...sampleView({ states: { done: 20, failed: 400, cancelled: 580 }, state: "cancelled" }),
    failures: [budget],
  };
  assert.equal(frames.frame(view, [], { processes: 1 }, 4000).perSecond, 5);
});
