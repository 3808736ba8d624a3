import assert from "node:assert/strict";
import { test } from "node:test";
import { compareRecords } from "./compare-records.ts";
import { expectedOf, type FoundRecord } from "./fixture.ts";

const record = (fields: FoundRecord["fields"]): FoundRecord => ({ from: "p", quality: "complete", fields });
const OWNER = { status: "present", value: "ALLEN JAMES", raw: "ALLEN JAMES", by: ".owner", at: 40 } as const;
const VALUE = { status: "present", value: 1250, raw: "$1,250", by: "#market", at: 90 } as const;

test("records match if status and value do, whatever selector found them", () => {
  const expected = expectedOf({ records: [record({ owner: OWNER, value: VALUE })] });
  const moved = record({ owner: { ...OWNER, by: "td.owner", at: 7 }, value: { ...VALUE, raw: "1250.00" } });
  assert.deepEqual(compareRecords(expected, { records: [moved] }), {
    checked: 2,
    inputs: 0,
    differences: [],
  });
});

test("expected records have what a reviewer needs, and nothing that depends on a selector's wording", () => {
  const [first] = expectedOf({ records: [record({ owner: OWNER, value: VALUE })] }).records;
  assert.deepEqual(first?.fields, {
    owner: { status: "present", value: "ALLEN JAMES" },
    value: { status: "present", value: 1250, raw: "$1,250" },
  });
});

test("each differing field is reported, including new and removed ones", () => {
  const expected = expectedOf({ records: [record({ owner: OWNER, value: VALUE })] });
  const got = record({
    owner: { status: "missing", value: null },
    rate: { status: "empty", value: null, raw: "" },
  });
  const { checked, differences } = compareRecords(expected, { records: [got] });
  assert.equal(checked, 3);
  assert.deepEqual(
    differences.map((one) => one.what === "field" && [one.field, one.expected?.status, one.got?.status]),
    [
      ["owner", "present", "missing"],
      ["value", "present", undefined],
      ["rate", undefined, "empty"],
    ],
  );
});

test("lists and objects are compared by content", () => {
  const list = (value: unknown) => record({ list: { status: "present", value } });
  const expected = expectedOf({ records: [list(["a", { b: 1 }])] });
  assert.equal(compareRecords(expected, { records: [list(["a", { b: 1 }])] }).differences.length, 0);
  assert.equal(compareRecords(expected, { records: [list([{ b: 1 }, "a"])] }).differences.length, 1);
});

test("missing records and another failure are reported as differences", () => {
  const expected = expectedOf({ records: [record({ owner: OWNER }), record({ owner: OWNER })] });
  const failure = { kind: "structure-changed", detail: "nothing" } as const;
  const { checked, differences } = compareRecords(expected, { records: [record({ owner: OWNER })], failure });
  assert.equal(checked, 2);
  assert.deepEqual(
    differences.map(({ what }) => what),
    ["failure", "records"],
  );
});

test("emitted inputs are compared per target, including their order", () => {
  const expected = expectedOf({ records: [], emitted: { inputs: { town: [1, 2, 2], next: [] } } });
  const differ = (town: unknown[], more = {}) =>
    compareRecords(expected, { records: [], emitted: { inputs: { town, next: [] }, ...more } });
  assert.deepEqual(differ([1, 2, 2]), { checked: 0, inputs: 3, differences: [] });
  assert.deepEqual(differ([2, 3]).differences, [
    { what: "emitted", target: "town", expected: 3, got: 2, gone: [1, 2], added: [3] },
  ]);
  assert.deepEqual(
    differ([2, 1, 2]).differences.map((one) => one.what === "emitted" && [one.gone, one.added]),
    [[[], []]],
  );
  assert.equal(differ([1, 2, 2], { rejected: ["url: not a URL"] }).differences.length, 1);
  assert.equal(compareRecords(expected, { records: [] }).differences.length, 1);
});
