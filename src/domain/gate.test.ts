import assert from "node:assert/strict";
import { test } from "node:test";
import { type ComparedField, describeChange, type GateExample, judgeGate, signTest } from "./gate.ts";

const field = (name: string, counts: Partial<ComparedField>): ComparedField => ({
  name,
  same: 500,
  gained: 0,
  lost: 0,
  changed: 0,
  examples: { gained: [], lost: [], changed: [] },
  ...counts,
});

const refusals = (...fields: ComparedField[]): (string | undefined)[] =>
  judgeGate(fields).map(({ refused }) => refused);

test("the sign test is the exact binomial tail", () => {
  assert.equal(signTest(0, 3), 1);
  assert.ok(Math.abs(signTest(10, 0) - 2 ** -10) < 1e-12);
  assert.ok(Math.abs(signTest(8, 2) - 56 / 1024) < 1e-12);
  assert.ok(signTest(5000, 5000) > 0.49);
});

test("ten losses without a gain refuse a version with ten fields, also where their share is small; gains weigh against losses", () => {
  const others = Array.from({ length: 9 }, (_, n) => field(`f${n}`, {}));
  const [ten] = refusals(field("owner", { same: 9990, lost: 10 }), ...others);
  assert.match(ten ?? "", /10 values lost and 0 gained/);
  assert.equal(refusals(field("owner", { same: 9991, lost: 9 }), ...others)[0], undefined);
  assert.equal(refusals(field("owner", { same: 9990, lost: 10, gained: 8 }), ...others)[0], undefined);
});

test("more than half a percent lost refuses a version, whatever was gained", () => {
  assert.equal(refusals(field("owner", { same: 498, lost: 2, gained: 40 }))[0], undefined);
  assert.match(refusals(field("owner", { same: 497, lost: 3, gained: 40 }))[0] ?? "", /3 of 500 values lost/);
});

test("changed values are grouped by the way in which they changed, with examples; swapped fields name each other", () => {
  const of = (name: string, before: (n: number) => unknown, after: (n: number) => unknown): ComparedField => {
    const changed = Array.from({ length: 20 }, (_, n): GateExample => ({
      key: `k${n}`,
      before: before(n),
      after: after(n),
    }));
    return field(name, { same: 0, changed: 20, examples: { gained: [], lost: [], changed } });
  };
  const judged = judgeGate([
    of(
      "owner",
      (n) => `Ann Lee ${n}`,
      (n) => `${n} Main St`,
    ),
    of(
      "address",
      (n) => `${n} Main St`,
      (n) => `Ann Lee ${n}`,
    ),
    of(
      "sold",
      (n) => `2026-03-${10 + n}`,
      (n) => `2026-03-${String(9 + n).padStart(2, "0")}`,
    ),
    of(
      "price",
      (n) => 1000 + n,
      (n) => (n < 15 ? (1000 + n) * 100 : 7),
    ),
  ]);
  assert.deepEqual(
    judged.map(({ groups }) => groups.map(({ change, count }) => [change, count])),
    [
      [["has the value of address", 20]],
      [["has the value of owner", 20]],
      [["1 day earlier", 20]],
      [
        ["× 100", 15],
        ["another number", 5],
      ],
    ],
  );
  assert.equal(judged[2]?.groups[0]?.examples.length, 5);
});

test("changes are described so that equal ones get equal words", () => {
  for (const [before, after, words] of [
    ["2026-01-31", "2026-02-01", "1 day later"],
    ["2026-01-31", "2024-02-01", "another date"],
    ["ANN  LEE", "Ann Lee", "letter case or spaces"],
    ["Ann Lee, Jr.", "Ann Lee", "shorter, a part of the text before"],
    ["12", 12, "string becomes number"],
    [5, -5, "other sign"],
    [12.5, 12, "other decimals"],
    [["a"], ["a", "b"], "list of 1 becomes list of 2"],
    ["R-12-7", "12", "shorter, a part of the text before"],
    ["R-12", "Residence north", "A-9 becomes words"],
  ] as const)
    assert.equal(describeChange(before, after), words);
});
