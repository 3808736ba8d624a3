import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FIELD_STATUSES, type JudgedField, type JudgedRecord } from "../domain/record.ts";
import {
  compareItems,
  type Difference,
  FIELD_CHANGES,
  isNothing,
  type ItemSide,
  mergeDifference,
  newDifference,
} from "./difference.ts";

const MOST = 2;

const present = (value: unknown): JudgedField => ({ status: "present", value });
const MISSING: JudgedField = { status: "missing", value: null };
const EMPTY: JudgedField = { status: "empty", value: null };

const record = (fields: Readonly<Record<string, JudgedField>>): JudgedRecord => ({
  quality: "complete",
  fields,
});
const done = (...records: readonly Readonly<Record<string, JudgedField>>[]): ItemSide => ({
  state: "done",
  records: records.map(record),
});

const compare = (before: ItemSide, after: ItemSide): Difference => {
  const difference = newDifference();
  compareItems(difference, "k", before, after, { most: MOST });
  return difference;
};

const countsOf = (difference: Difference, name: string): number[] => {
  const field = difference.fields.get(name);
  assert.ok(field, `${name} was compared`);
  return [...FIELD_CHANGES, "same" as const].map((change) => field[change]);
};

test("a field is gained, lost, changed, restated or the same", () => {
  const difference = compare(
    done({ a: MISSING, b: present(1), c: present("x"), d: MISSING, e: present([1, { f: 2 }]) }),
    done({ a: present("new"), b: EMPTY, c: present("y"), d: EMPTY, e: present([1, { f: 2 }]) }),
  );
  assert.deepEqual(
    ["a", "b", "c", "d", "e"].map((name) => countsOf(difference, name)),
    [
      [1, 0, 0, 0, 0],
      [0, 1, 0, 0, 0],
      [0, 0, 1, 0, 0],
      [0, 0, 0, 1, 0],
      [0, 0, 0, 0, 1],
    ],
  );
  assert.deepEqual(difference.fields.get("c")?.examples.changed, [
    { key: "k", before: present("x"), after: present("y") },
  ]);
});

test("a field that only one side knows is gained or lost where it has a value, else restated", () => {
  const difference = compare(done({ old: present(1) }), done({ found: present(1), sought: MISSING }));
  assert.deepEqual(countsOf(difference, "old"), [0, 1, 0, 0, 0]);
  assert.deepEqual(countsOf(difference, "found"), [1, 0, 0, 0, 0]);
  assert.deepEqual(countsOf(difference, "sought"), [0, 0, 0, 1, 0]);
});

test("a row that came in between is one record gained, and no field changed", () => {
  const rows = ["a", "b", "c", "d"].map((text) => ({ name: present(text) }));
  const more = rows.toSpliced(2, 0, { name: present("new") });
  const grown = compare(done(...rows), done(...more));
  assert.deepEqual([grown.recordsGained.count, grown.recordsLost.count], [1, 0]);
  assert.deepEqual(countsOf(grown, "name"), [0, 0, 0, 0, 4]);
  const shrunk = compare(done(...more), done(...rows));
  assert.deepEqual([shrunk.recordsGained.count, shrunk.recordsLost.count], [0, 1]);
  assert.deepEqual(countsOf(shrunk, "name"), [0, 0, 0, 0, 4]);
});

test("an item that ended otherwise is named by both its states", () => {
  const { states, changedItems } = compare({ state: "failed", records: [] }, done({ a: present(1) }));
  assert.deepEqual([...states], [["failed → done", { count: 1, keys: ["k"] }]]);
  assert.equal(changedItems, 1);
});

test("an item of another scraper has its fields under that scraper's name, and long values are cut", () => {
  const difference = newDifference();
  const options = { most: MOST, prefix: "town." };
  const long = present("x".repeat(5_000));
  compareItems(difference, "k", done({ __proto__x: MISSING }), done({ text: long }), options);
  assert.deepEqual([...difference.fields.keys()], ["town.text", "town.__proto__x"]);
  const example = difference.fields.get("town.text")?.examples.gained[0]?.after;
  assert.ok(String(example?.value).length < 400);
});

const anyField = fc.oneof(
  fc.constantFrom(...FIELD_STATUSES.filter((status) => status !== "present")).map((status) => ({
    status,
    value: null,
  })),
  fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constantFrom("", "x"), fc.constant({ a: [1] })).map(present),
);
const anySide = fc.record({
  state: fc.constantFrom("done" as const, "failed" as const),
  records: fc.array(
    fc.dictionary(fc.constantFrom("a", "b", "__proto__"), anyField, { noNullPrototype: false }).map(record),
    { maxLength: 4 },
  ),
});
const anyItems = fc.array(fc.tuple(anySide, anySide), { maxLength: 12 });

const compareAll = (
  items: readonly (readonly [ItemSide, ItemSide])[],
  swap = false,
  from = 0,
  most = MOST,
): Difference => {
  const difference = newDifference();
  for (const [i, [a, b]] of items.entries())
    compareItems(difference, String(from + i), swap ? b : a, swap ? a : b, { most });
  return difference;
};

const total = (sides: readonly ItemSide[]): number =>
  sides.reduce((sum, side) => sum + side.records.length, 0);

test("every record is paired, gained or lost, and every field of a pair is counted once", () => {
  fc.assert(
    fc.property(anyItems, (items) => {
      const difference = compareAll(items);
      assert.equal(difference.records + difference.recordsLost.count, total(items.map(([a]) => a)));
      assert.equal(difference.records + difference.recordsGained.count, total(items.map(([, b]) => b)));
      for (const [name, field] of difference.fields) {
        const sum = [...FIELD_CHANGES, "same" as const].reduce((n, change) => n + field[change], 0);
        assert.ok(sum > 0 && sum <= difference.records, name);
        for (const change of FIELD_CHANGES)
          assert.equal(field.examples[change].length, Math.min(field[change], MOST));
      }
    }),
  );
});

test("what is gained one way is lost the other way", () => {
  fc.assert(
    fc.property(anyItems, (items) => {
      const there = compareAll(items);
      const back = compareAll(items, true);
      assert.equal(there.changedItems, back.changedItems);
      assert.deepEqual(
        [there.recordsGained.count, there.recordsLost.count],
        [back.recordsLost.count, back.recordsGained.count],
      );
      for (const [name, field] of there.fields) {
        const other = back.fields.get(name)!;
        assert.deepEqual(
          [field.gained, field.lost, field.changed, field.restated, field.same],
          [other.lost, other.gained, other.changed, other.restated, other.same],
        );
      }
    }),
  );
});

test("a set does not differ from itself", () => {
  fc.assert(
    fc.property(fc.array(anySide), (sides) => {
      assert.ok(isNothing(compareAll(sides.map((side) => [side, structuredClone(side)] as const))));
    }),
  );
});

test("parts that were compared apart add up to the whole", () => {
  fc.assert(
    fc.property(anyItems, fc.nat({ max: 12 }), (items, at) => {
      const first = compareAll(items.slice(0, at));
      mergeDifference(first, compareAll(items.slice(at), false, Math.min(at, items.length)), MOST);
      const whole = compareAll(items);
      assert.deepEqual(first, whole);
    }),
  );
});
