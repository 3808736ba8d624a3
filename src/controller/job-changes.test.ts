import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleView } from "../cli/sample-view.ts";
import { changesOf, glimpseOf } from "./job-changes.ts";

const types = (
  before: Parameters<typeof sampleView>[0] | undefined,
  now: Parameters<typeof sampleView>[0],
): string[] => changesOf(before && glimpseOf(sampleView(before)), sampleView(now)).map(({ type }) => type);

test("between two looks at a job its changes are told, and nothing where there are none", () => {
  const held = [{ lane: "a.example", reason: "blocked", evidence: {}, heldAt: 0 }];
  assert.deepEqual(types(undefined, { state: "running" }), ["job.started"]);
  assert.deepEqual(types(undefined, { state: "done" }), ["job.started", "job.completed"]);
  assert.deepEqual(types({ state: "running" }, { state: "running" }), []);
  assert.deepEqual(types({ state: "loading" }, { state: "running" }), []);
  assert.deepEqual(types({ state: "running" }, { state: "paused", held }), ["lane.held", "job.paused"]);
  assert.deepEqual(types({ state: "paused", held }, { state: "running" }), ["job.resumed", "lane.released"]);
  assert.deepEqual(types({ state: "running" }, { state: "cancelled" }), ["job.cancelled"]);
  assert.deepEqual(types({ state: "done" }, { state: "running" }), ["job.resumed"]);
});
