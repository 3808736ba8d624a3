import assert from "node:assert/strict";
import { test } from "node:test";
import { lawTable, LeafResults, summed } from "./law-table.ts";

const suite = { type: "suite" };

test("results are counted under each suite around them", () => {
  const results = new LeafResults();
  const file = "a.test.ts";
  const add = (isGood: boolean, name: string, nesting: number, own: object = {}): void =>
    results.add(file, isGood, { name, nesting, details: {}, ...own });
  add(true, "one", 2);
  add(false, "two", 2);
  add(false, "pace", 1, { details: suite });
  add(true, "three", 2, { skip: "no clock" });
  add(true, "four", 2);
  add(true, "fairness", 1, { details: suite });
  add(false, "ledger", 0, { details: suite });
  const cells = ["pace", "fairness", undefined].map((name) => summed(results.of("a.test.ts", name)));
  assert.deepEqual(
    cells.map(({ passed, failed, skipped }) => [passed, failed, skipped.map(({ skip }) => skip)]),
    [
      [1, ["two"], []],
      [1, [], ["no clock"]],
      [2, ["two"], ["no clock"]],
    ],
  );
});

test("a suite that is skipped as a whole gives its reason for each law", () => {
  const results = new LeafResults();
  results.add("a.test.ts", true, { name: "postgres", nesting: 0, skip: "no server", details: suite });
  const cell = summed(results.of("a.test.ts", "pace"));
  const { text, isGood } = lawTable(["postgres+files"], new Map([["pace", [cell]]]));
  assert.match(text, /^pace +skipped$/m);
  assert.match(text, /postgres: no server/);
  assert.equal(isGood, true);
});

test("what failed or did not run is bad", () => {
  const nothing = summed([]);
  const broken = summed([{ name: "two", isGood: false }]);
  const table = lawTable(["a", "b"], new Map([["pace", [nothing, broken]]]));
  assert.match(table.text, /^pace +DID NOT RUN +1 FAILED$/m);
  assert.equal(table.isGood, false);
});
