import assert from "node:assert/strict";
import { test } from "node:test";
import type { JudgedField } from "../../src/domain/record.ts";
import type { Cell } from "./cell.ts";
import { Tally } from "./tally.ts";

const add = (tally: Tally, cell: Cell, field: JudgedField): void =>
  tally.add({ kind: "money", locale: "en-US", layout: "form", cell, field });
const five: Cell = { drawn: "present", text: "$5", value: 5 };
const read = (value: unknown): JudgedField => ({ status: "present", value });

test("precision and recall come from the matrix, a status that never came up counts as kept", () => {
  const tally = new Tally();
  add(tally, five, read(5));
  add(tally, five, { status: "malformed", value: null });
  add(tally, { drawn: "blank", text: "" }, read(0));
  const [present, empty, missing, malformed] = tally.scores();
  assert.deepEqual([present!.precision, present!.recall], [0.5, 0.5]);
  assert.deepEqual([empty!.precision, empty!.recall], [1, 0]);
  assert.deepEqual([missing!.precision, missing!.recall], [1, 1]);
  assert.deepEqual([malformed!.precision, malformed!.recall], [0, 1]);
  assert.equal(tally.cells, 3);
});

test("a wrong value under the right status is counted and listed", () => {
  const tally = new Tally();
  add(tally, five, read(5));
  add(tally, five, read(500));
  assert.equal(tally.rightShare, 0.5);
  assert.deepEqual(
    tally.confusions(9).map(({ judged, count, read: value }) => [judged, count, value]),
    [["value", 1, 500]],
  );
});

test("cells that differ only in their digits are one confusion, the most frequent comes first", () => {
  const tally = new Tally();
  const malformed: JudgedField = { status: "malformed", value: null };
  add(tally, { drawn: "placeholder", text: "--" }, malformed);
  add(tally, { drawn: "present", text: "$12", value: 12 }, malformed);
  add(tally, { drawn: "present", text: "$7", value: 7 }, malformed);
  assert.deepEqual(
    tally.confusions(9).map(({ truth, count }) => [truth, count]),
    [
      ["present", 2],
      ["empty", 1],
    ],
  );
});
