// e2e: kills processes at random
import assert from "node:assert/strict";
import { test } from "node:test";
import { killControllers } from "./testing/kill-controllers.ts";

test("three controllers are killed at random: each time has exactly one firing, each firing one job, each job its inputs once", async () => {
  const { kills, times, states, wrong, wrongJobs } = await killControllers(12);
  assert.deepEqual({ wrong, wrongJobs }, { wrong: [], wrongJobs: [] });
  assert.ok(kills > 0 && times >= 10, JSON.stringify({ kills, times, states }));
});
