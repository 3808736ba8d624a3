import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { FairTurns, RequestTurns } from "./turns.ts";

test("many requests of one client wait for each other, and do not delay others", async () => {
  const turns = new FairTurns();
  const order: string[] = [];
  const held: Disposable[] = [];
  const ask = (client: string): void =>
    void turns.take(client).then((place) => order.push(client) + held.push(place));
  for (let n = 0; n < 30; n++) ask("many");
  ask("one");
  await turn();
  assert.deepEqual(order, ["many", "many", "many", "many", "one"]);
  held[0]![Symbol.dispose]();
  held[0]![Symbol.dispose]();
  await turn();
  assert.deepEqual(order.slice(5), ["many"]);
});

test("the number of waiting requests is limited", async () => {
  const turns = new FairTurns();
  const asked = Array.from({ length: 100 }, () => turns.take("many"));
  const refused = (await Promise.allSettled(asked.slice(68))).filter(({ status }) => status === "rejected");
  assert.equal(refused.length, 32);
  assert.ok(await turns.take("other"));
});

test("of many requests that arrive together, some start in each turn, and another client's request starts at once", async () => {
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

test("the number of waiting requests per client is limited", () => {
  const turns = new RequestTurns();
  for (let n = 0; n < 2008; n++) void turns.take("many");
  assert.throws(() => turns.take("many"), /2000 requests of this client are waiting/);
  assert.equal(turns.take("other"), undefined);
});
