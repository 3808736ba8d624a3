import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { RequestTurns } from "./request-turns.ts";

test("of many requests that arrive together some begin in each turn, and another client's one begins at once", async () => {
  const turns = new RequestTurns();
  let begun = 0;
  const many = Array.from({ length: 30 }, () => Promise.resolve(turns.take("many")).then(() => begun++));
  const counts: number[] = [];
  for (let n = 0; n < 4; n++) {
    assert.equal(turns.take(`other ${n}`), undefined);
    await Promise.resolve();
    counts.push(begun);
    await turn();
  }
  await Promise.all(many);
  assert.deepEqual(counts, [8, 16, 24, 30]);
  await turn();
  await turn();
  assert.equal(turns.take("many"), undefined, "nothing is left of it");
});

test("a client has no more than so many waiting", () => {
  const turns = new RequestTurns();
  for (let n = 0; n < 2008; n++) void turns.take("many");
  assert.throws(() => turns.take("many"), /2000 requests of this client are waiting/);
  assert.equal(turns.take("other"), undefined);
});
