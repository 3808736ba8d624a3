import assert from "node:assert/strict";
import { test } from "node:test";
import { withSilences } from "./submit.ts";

test("what comes is passed on in its order, and a silence is an empty batch", async () => {
  const { promise: heard, resolve } = Promise.withResolvers<void>();
  async function* batches() {
    yield [1, 2];
    await heard;
    yield [3];
  }
  const passed: number[] = [];
  let silences = 0;
  for await (const batch of withSilences(batches(), 10)) {
    passed.push(...batch);
    if (batch.length > 0) continue;
    silences++;
    resolve();
  }
  assert.deepEqual(passed, [1, 2, 3]);
  assert.ok(silences > 0);
});

test("an error of the source is an error here, also one that comes after a silence", async () => {
  const { promise: heard, resolve } = Promise.withResolvers<void>();
  async function* batches() {
    yield [1];
    await heard;
    throw new RangeError("broken");
  }
  await assert.rejects(async () => {
    for await (const batch of withSilences(batches(), 10)) if (batch.length === 0) resolve();
  }, RangeError);
});

test("who stops listening in a silence does not wait for its end, and the source is closed after it", async () => {
  const { promise: heard, resolve } = Promise.withResolvers<void>();
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  async function* batches() {
    try {
      yield [1];
      await heard;
      yield [2];
    } finally {
      close();
    }
  }
  for await (const batch of withSilences(batches(), 10)) if (batch.length === 0) break;
  resolve();
  await closed;
});
