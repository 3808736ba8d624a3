import assert from "node:assert/strict";
import { test } from "node:test";
import { compareItems, type ItemSide, newDifference } from "../reextract/difference.ts";
import { differenceJson, renderDifference } from "./render-difference.ts";

const side = (owner: string | undefined, state: ItemSide["state"] = "done"): ItemSide => ({
  state,
  records: [
    {
      quality: "complete",
      fields: {
        owner: owner === undefined ? { status: "missing", value: null } : { status: "present", value: owner },
      },
    },
  ],
});
const NAMES = { before: "a@first", after: "a@x" };

test("sets that say the same are told in one line", () => {
  const difference = newDifference();
  compareItems(difference, "1", side("Ann"), side("Ann"), { most: 1 });
  assert.deepEqual(renderDifference(difference, NAMES, Infinity), [
    "No difference: the records of 1 item are the same in both sets.",
  ]);
});

test("a difference is a table of fields with examples under it, on lines that fit and steer no terminal", () => {
  const difference = newDifference();
  compareItems(difference, "1", side("Ann"), side("Bo\x1b[31m\n"), { most: 1 });
  compareItems(difference, "2", side("Cy"), side(undefined), { most: 1 });
  compareItems(difference, "3", side("Di"), side("x".repeat(500)), { most: 1 });
  compareItems(difference, "4", side(undefined, "failed"), { state: "done", records: [] }, { most: 1 });
  const lines = renderDifference(difference, NAMES, 60);
  assert.deepEqual(lines, [
    "4 of 4 items differ.",
    "  1 item failed → done, such as 4",
    "  1 record lost, such as 4",
    "",
    "  field  gained  lost  changed  restated  same",
    "  owner       –     1        2         –     –",
    "",
    "  owner",
    '    lost      2: "Cy" → missing',
    String.raw`    changed   1: "Ann" → "Bo\u001b[31m\n"`,
  ]);
  assert.ok(lines.every((line) => line.length <= 60));
});

test("what a program reads has the same counts", () => {
  const difference = newDifference();
  compareItems(difference, "1", side("Ann"), side("Bo", "failed"), { most: 1 });
  const json = JSON.parse(JSON.stringify(differenceJson(difference))) as Record<
    string,
    Record<string, unknown>
  >;
  assert.deepEqual(json["states"], { "done → failed": { count: 1, keys: ["1"] } });
  assert.equal((json["fields"]!["owner"] as { changed: number }).changed, 1);
});
