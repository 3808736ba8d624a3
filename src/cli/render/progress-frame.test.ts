import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import picocolors from "picocolors";
import type { JobView, LaneView } from "../../domain/job.ts";
import { type Sample, sampleView } from "../testing/sample-view.ts";
import { textWidth } from "../text.ts";
import { FrameMaker, type ProgressFrame, renderProgress, renderProgressLine } from "./progress-frame.ts";

const etaAfter = (sample: Sample): number | undefined => {
  const frames = new FrameMaker();
  frames.frame(sampleView({ states: { queued: 100 } }), [], { processes: 1 }, 0);
  return frames.frame(sampleView(sample), [], { processes: 1 }, 4000).etaMs;
};

test("the time left is what is left at the pace so far", () => {
  assert.equal(etaAfter({ states: { done: 15, absent: 3, failed: 2, queued: 70, leased: 10 } }), 16_000);
});

test("there is no ETA while inputs are read, while nothing moves, and at the end", () => {
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

const plain = picocolors.createColors(false);

const view: JobView = sampleView({
  states: { done: 1150, absent: 31, failed: 23, waiting: 12, leased: 16, queued: 768 },
  partial: 7,
  failures: [
    { kind: "timeout", count: 8, exampleKey: "1", exampleDetail: "" },
    { kind: "captcha", count: 15, exampleKey: "2", exampleDetail: "" },
  ],
  attemptFailures: { timeout: 40, captcha: 15, "rate-limited": 3 },
  held: [
    {
      lane: "tax.example.gov",
      reason: "20 of the last 20 attempts failed: 20 blocked",
      evidence: {},
      heldAt: 0,
    },
    {
      lane: "hill.example.gov",
      reason: "9 of 9 failed",
      evidence: {},
      heldAt: 0,
      probeAt: Date.UTC(2026, 10, 15, 20, 41),
    },
  ],
});
const lanes: readonly LaneView[] = [
  { lane: "well.example", perSecond: 5, factor: 1, holdMs: 0 },
  { lane: "slow.example", perSecond: 2.5, factor: 0.5, holdMs: 0 },
  { lane: "rest.example", perSecond: 5, factor: 1, holdMs: 12_300, holdReason: "rate-limited" },
];
const frame: ProgressFrame = { view, lanes, processes: 2, perSecond: 132.7, etaMs: 6000 };

test("the display shows states, failures, retries and lanes", () => {
  assert.deepEqual(renderProgress(frame, 79, plain), [
    "county  20261115-203412-k3f9  running in 2 processes",
    "████████████████████████░░░░░░░░░░░░░░░░  60%  1,204 of 2,000  133/s  ETA 6.0s",
    "done 1,150 (7 partial)  absent 31  failed 23  waiting 12  in flight 16",
    "queued 768",
    "failed   captcha 15, timeout 8",
    "retried  timeout 32, rate-limited 3",
    "held     tax.example.gov: 20 of the last 20 attempts failed: 20 blocked",
    "held     hill.example.gov until 20:41:00Z: 9 of 9 failed",
    "slowed   slow.example: at 50% of its pace (2.5/s)",
    "slowed   rest.example: paused for 12s after rate-limited",
  ]);
});

test("while inputs are read the end is open", () => {
  const loading = sampleView({ state: "loading", isSealed: false, states: { done: 20, queued: 480 } });
  assert.deepEqual(renderProgress({ view: loading, lanes: [], processes: 1, loaded: 20_500 }, 60, plain), [
    "county  20261115-203412-k3f9  loading inputs: 20,500 read",
    "█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   4%  20 of 500+",
    "done 20  queued 480",
  ]);
});

test("a job that is not finished never shows 100 %", () => {
  const almost = sampleView({ states: { done: 999_999, leased: 1 } });
  assert.match(renderProgress({ view: almost, lanes: [], processes: 1 }, 80, plain)[1]!, /░ +99% /);
});

test("of many troubled lanes the worst are shown and the others counted", () => {
  const many = Array.from({ length: 9 }, (_, n) => ({
    lane: `l${n}`,
    perSecond: 1,
    factor: (9 - n) / 10,
    holdMs: 0,
  }));
  const lines = renderProgress({ view: sampleView(), lanes: many, processes: 1 }, 80, plain);
  assert.deepEqual(
    lines.slice(3).map((line) => line.trim().split(":")[0]),
    ["slowed   l8", "slowed   l7", "slowed   l6", "slowed   l5", "and 5 more lanes"],
  );
});

test("no line is wider than the terminal, with and without colours", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 120 }), fc.boolean(), (width, isColoured) => {
      for (const line of renderProgress(frame, width, picocolors.createColors(isColoured)))
        assert.ok(textWidth(stripVTControlCharacters(line)) <= width, line);
    }),
  );
});

test("a log gets the same on one line", () => {
  assert.equal(
    renderProgressLine(frame),
    "running in 2 processes  1,204 of 2,000  133/s  ETA 6.0s  " +
      "done 1,150 (7 partial), absent 31, failed 23, waiting 12, in flight 16, queued 768  lanes slowed: 1  held: 2",
  );
});
