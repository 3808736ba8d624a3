import assert from "node:assert/strict";
import { test } from "node:test";
import { timedId, timeOfId } from "./job.ts";

test("an id tells its time to the second", () => {
  const at = Date.UTC(2026, 10, 15, 20, 34, 12);
  const id = timedId(at + 999, new Uint8Array([0, 30, 31, 255]));
  assert.equal(id, "20261115-203412-a9ah");
  assert.equal(timeOfId(id), at);
  assert.equal(timeOfId("chosen.json"), -Infinity);
});
