import assert from "node:assert/strict";
import test from "node:test";
import { changeShare } from "./client.ts";

const card = { name: "tax", weight: 3, itemsPerDay: 100, maxRunning: 5 };

test("what is not named stays", () => {
  assert.deepEqual(changeShare(card, {}), card);
  assert.deepEqual(changeShare(card, { itemsPerDay: undefined }), card);
});

test("what is named is changed", () => {
  assert.deepEqual(changeShare(card, { weight: 0.5, maxRunning: 9, requestsPerMinute: 60 }), {
    name: "tax",
    weight: 0.5,
    itemsPerDay: 100,
    maxRunning: 9,
    requestsPerMinute: 60,
  });
});

test("null takes a limit away", () => {
  assert.deepEqual(changeShare(card, { itemsPerDay: null, requestsPerMinute: null }), {
    name: "tax",
    weight: 3,
    maxRunning: 5,
  });
});
