import assert from "node:assert/strict";
import { test } from "node:test";
import { jobId, timedId, timeOfId } from "./job.ts";

test("a job's id contains its time in UTC, and sorts by it", () => {
  assert.match(jobId(new Date("2026-11-15T20:34:12.999Z")), /^20261115-203412-[a-z2-9]{4}$/);
  const days = ["2026-01-31T23:59:59Z", "2026-02-01T00:00:00Z", "2026-11-05T01:02:03Z"];
  const ids = days.map((day) => jobId(new Date(day)));
  assert.deepEqual(ids, ids.toSorted());
});

test("ids of one second differ, and have no letters that look alike", () => {
  const at = new Date("2026-11-15T20:34:12Z");
  const ids = Array.from({ length: 200 }, () => jobId(at));
  assert.ok(new Set(ids).size > 190);
  assert.ok(ids.every((id) => !/[ilo01]/.test(id.slice(-4))));
});

test("an id contains its time to the second", () => {
  const at = Date.UTC(2026, 10, 15, 20, 34, 12);
  const id = timedId(at + 999, new Uint8Array([0, 30, 31, 255]));
  assert.equal(id, "20261115-203412-a9ah");
  assert.equal(timeOfId(id), at);
  assert.equal(timeOfId("chosen.json"), -Infinity);
});
