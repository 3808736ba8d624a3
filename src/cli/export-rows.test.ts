import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ItemView } from "../model/item.ts";
import type { JudgedField, JudgedRecord } from "../model/record.ts";
import { ExportShape } from "./export-rows.ts";

const item = (input: unknown, rest: Partial<ItemView> = {}): ItemView => ({
  ref: { queue: 1, seq: 1 },
  lane: "example.org",
  key: "k",
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

const MISSING: JudgedField = { status: "missing", value: null };

test("a row has the key, the input, the record and how it went", () => {
  const entry = {
    item: item({ parcel: "12" }, { quality: "partial" }),
    record: { ...record({ owner: "Ann" }, { tax: MISSING, pool: MISSING }), quality: "partial" as const },
  };
  const shape = new ExportShape({ fields: ["owner", "tax", "pool"], required: ["owner", "tax"] }, [entry]);
  assert.deepEqual(
    shape.columns.map(({ name }) => name),
    ["key", "parcel", "owner", "tax", "pool", "_state", "_failure", "_detail", "_quality", "_missing"],
  );
  assert.deepEqual(shape.row(entry), {
    key: "k",
    parcel: "12",
    owner: "Ann",
    tax: null,
    pool: null,
    _state: "done",
    _failure: null,
    _detail: null,
    _quality: "partial",
    _missing: ["tax"],
  });
});

test("an item without a record says why it has none", () => {
  const failed = item({ parcel: "12" }, { state: "failed", failure: { kind: "blocked", detail: "403" } });
  const row = new ExportShape({ fields: ["owner"], required: [] }, []).row({ item: failed });
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
  const shape = new ExportShape({ fields: ["owner"], required: [] }, [entry]);
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
    return new ExportShape({ fields: ["value"], required: [] }, entries).columns.find(
      ({ name }) => name === "value",
    )?.type;
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
  const shape = new ExportShape({ fields: ["owner"], required: [] }, [{ item: item({ parcel: "1" }) }]);
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
  const shape = new ExportShape({ fields: [], required: [] }, [entry]);
  assert.equal(Object.getOwnPropertyDescriptor(shape.row(entry), "__proto__")?.value, 7);
});
