import assert from "node:assert/strict";
import test from "node:test";
import { changeShare } from "./client.ts";

const info = { name: "tax", weight: 3, itemsPerDay: 100, maxRunning: 5 };

test("omitted properties stay unchanged", () => {
  assert.deepEqual(changeShare(info, {}), info);
  assert.deepEqual(changeShare(info, { itemsPerDay: undefined }), info);
});

test("given properties are changed", () => {
  assert.deepEqual(changeShare(info, { weight: 0.5, maxRunning: 9, requestsPerMinute: 60 }), {
    name: "tax",
    weight: 0.5,
    itemsPerDay: 100,
    maxRunning: 9,
    requestsPerMinute: 60,
  });
});

test("null removes a limit", () => {
  assert.deepEqual(changeShare(info, { itemsPerDay: null, requestsPerMinute: null }), {
    name: "tax",
    weight: 3,
    maxRunning: 5,
  });
});
