import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ItemView } from "../domain/item.ts";
import type { JudgedField, JudgedRecord } from "../domain/record.ts";
import { ExportShape } from "./export-rows.ts";
import { sampleView } from "../cli/testing/sample-view.ts";

const item = (input: unknown, rest: Partial<ItemView> = {}): ItemView => ({
  ref: { queue: 1, seq: 1 },
  lane: "example.org",
  scraper: "county",
  key: "k",
  depth: 0,
  input,
  state: "done",
  attempts: 1,
  history: [],
  captures: [],
  records: null,
  ...rest,
});

const record = (values: Record<string, unknown>, rest: Record<string, JudgedField> = {}): JudgedRecord => {
  const present = Object.entries(values).map(
    ([name, value]) => [name, { status: "present", value }] as const,
  );
  return { quality: "complete", fields: { ...Object.fromEntries(present), ...rest } };
};

const specOf = (fields: readonly string[], required: readonly string[]) =>
  sampleView({ spec: { fields, required } }).spec;

const MALFORMED: JudgedField = { status: "malformed", value: null };
const MISSING: JudgedField = { status: "missing", value: null };

test("of a job with freshness a row tells what became of its item", () => {
  const spec = { ...specOf([], []), freshness: {} };
  const entries = [item({}, { change: "gone", state: "absent" }), item({})].map((one) => ({ item: one }));
  const shape = new ExportShape(spec, entries);
  assert.equal(shape.columns.at(-1)?.name, "_change");
  assert.deepEqual(
    entries.map((entry) => shape.row(entry)["_change"]),
    ["gone", null],
  );
});

test("a row has the key, the input, the record and how it went", () => {
  const entry = {
    item: item({ parcel: "12" }, { quality: "partial" }),
    record: {
      ...record({ owner: "Ann" }, { tax: MISSING, due: MALFORMED, pool: MISSING, lot: MALFORMED }),
      quality: "partial" as const,
    },
  };
  const shape = new ExportShape(specOf(["owner", "tax", "due", "pool", "lot"], ["owner", "tax", "due"]), [
    entry,
  ]);
  assert.deepEqual(
    shape.columns.map(({ name }) => name).join(" "),
    "key parcel owner tax due pool lot _state _failure _detail _quality _missing _malformed",
  );
  assert.deepEqual(shape.row(entry), {
    key: "k",
    parcel: "12",
    owner: "Ann",
    tax: null,
    due: null,
    pool: null,
    lot: null,
    _state: "done",
    _failure: null,
    _detail: null,
    _quality: "partial",
    _missing: ["tax"],
    _malformed: ["due"],
  });
});

test("an item without a record says why it has none", () => {
  const failed = item({ parcel: "12" }, { state: "failed", failure: { kind: "blocked", detail: "403" } });
  const row = new ExportShape(specOf(["owner"], []), []).row({ item: failed });
  assert.deepEqual(
    [row._state, row._failure, row["_detail"], row._quality, row._missing],
    ["failed", "blocked", "403", null, []],
  );
});

test("names that are used twice are told apart, and the house's own names stay", () => {
  const entry = {
    item: item({ owner: "asked", key: "in" }),
    record: record({ owner: "found", key: "out", _state: "TX" }),
  };
  const shape = new ExportShape(specOf(["owner"], []), [entry]);
  const { key, owner, _state, ...rest } = shape.row(entry);
  assert.deepEqual([key, owner, _state], ["k", "found", "done"]);
  assert.deepEqual(
    [rest["input.owner"], rest["input.key"], rest["record.key"], rest["record._state"]],
    ["asked", "in", "out", "TX"],
  );
  assert.equal(new Set(shape.columns.map(({ name }) => name)).size, shape.columns.length);
});

describe("the type of a column", () => {
  const typeOf = (...values: readonly unknown[]) => {
    const entries = values.map((value) => ({ item: item({}), record: record({ value }) }));
    return new ExportShape(specOf(["value"], []), entries).columns.find(({ name }) => name === "value")?.type;
  };
  test("is that of all values that are there", () => {
    assert.equal(typeOf(null, 1, 2.5), "number");
    assert.equal(typeOf(true), "boolean");
    assert.equal(typeOf(["a"], null, {}), "json");
    assert.equal(typeOf("1"), "text");
  });
  test("is text where values differ or none is known", () => {
    assert.equal(typeOf(1, "n/a"), "text");
    assert.equal(typeOf(null), "text");
    assert.equal(typeOf(), "text");
  });
});

test("a field that comes too late for a column is named, not silently dropped", () => {
  const shape = new ExportShape(specOf(["owner"], []), [{ item: item({ parcel: "1" }) }]);
  const row = shape.row({ item: item({ page: 2 }), record: record({ owner: "Ann", extra: 1 }) });
  assert.equal("extra" in row, false);
  assert.deepEqual(shape.leftOut, ["page", "extra"]);
});

test("a field may be named __proto__", () => {
  const entry = {
    item: item({}),
    record: JSON.parse(
      '{"quality":"complete","fields":{"__proto__":{"status":"present","value":7}}}',
    ) as JudgedRecord,
  };
  const shape = new ExportShape(specOf([], []), [entry]);
  assert.equal(Object.getOwnPropertyDescriptor(shape.row(entry), "__proto__")?.value, 7);
});

test("in a job of several scrapers each row names its own, and misses only what that one requires", () => {
  const [root] = specOf([], []).scrapers;
  const scrapers = [
    { ...root!, name: "listing", fields: ["title"], required: ["title"] },
    { ...root!, name: "town", fields: ["mayor", "phone"], required: ["mayor"] },
  ];
  const entry = {
    item: item({ url: "u" }, { scraper: "town" }),
    record: record({ phone: "1" }, { mayor: MISSING }),
  };
  const shape = new ExportShape({ scrapers }, [entry]);
  assert.deepEqual(
    shape.columns.map(({ name }) => name).filter((name) => !name.startsWith("_") || name === "_scraper"),
    ["key", "url", "title", "mayor", "phone", "_scraper"],
  );
  const row = shape.row(entry);
  assert.deepEqual([row["_scraper"], row["_missing"]], ["town", ["mayor"]]);
  const own = new ExportShape({ scrapers }, [entry], { scraper: "town" });
  assert.equal(
    own.columns.some(({ name }) => name === "title"),
    false,
  );
});

test("a column's type allows for the value that fills its gaps", () => {
  const entry = { item: item({}), record: record({ tax: 5 }) };
  const typeOf = (fill: ReadonlyMap<string, unknown>) =>
    new ExportShape(specOf(["tax"], []), [entry], { fill }).columns.find(({ name }) => name === "tax")?.type;
  assert.equal(typeOf(new Map([["tax", 0]])), "number");
  assert.equal(typeOf(new Map([["tax", "unknown"]])), "text");
});
