import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { FairTurns } from "./fair-turns.ts";

test("a client with many requests waits behind itself, and not before others", async () => {
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

test("so many may wait", async () => {
  const turns = new FairTurns();
  const asked = Array.from({ length: 100 }, () => turns.take("many"));
  const refused = (await Promise.allSettled(asked.slice(68))).filter(({ status }) => status === "rejected");
  assert.equal(refused.length, 32);
  assert.ok(await turns.take("other"));
});
