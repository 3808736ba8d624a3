import assert from "node:assert/strict";
import { test } from "node:test";
import { chargeTurn, levelTurns } from "./shares.ts";

test("what is given back to the hindmost is not lost to the floor", () => {
  const { had, floor } = chargeTurn({ had: 10, weight: 2 }, 10, -8);
  assert.deepEqual([had, floor], [6, 6]);
  const rows = [
    { had, weight: 2 },
    { had: 11, weight: 1 },
  ];
  assert.deepEqual(
    levelTurns(rows, floor).map((turn) => turn.had),
    [6, 11],
  );
});

test("what is given back to one that was away lowers no floor: idle time earns no credit", () => {
  assert.deepEqual(chargeTurn({ had: 3, weight: 1 }, 10, -2), { had: 1, floor: 10 });
});
