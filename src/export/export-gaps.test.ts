import assert from "node:assert/strict";
import { test } from "node:test";
import type { ItemView } from "../domain/item.ts";
import type { FieldStatus, JudgedField } from "../domain/record.ts";
import { GapFilter, type GapOptions } from "./export-records.ts";
import type { ExportEntry } from "./export-rows.ts";
import { sampleView } from "../cli/testing/sample-view.ts";

const SPEC = sampleView({ spec: { fields: ["owner", "tax", "pool"], required: ["owner", "tax"] } }).spec;

const ITEM: ItemView = {
  ref: { queue: 1, seq: 1 },
  lane: "example.org",
  scraper: "county",
  key: "k",
  depth: 0,
  input: {},
  state: "done",
  attempts: 1,
  history: [],
  captures: [],
  records: null,
};

const entry = (statuses: Readonly<Record<string, FieldStatus>>): ExportEntry => {
  const fields = Object.entries(statuses).map(([name, status]): [string, JudgedField] => [
    name,
    { status, value: status === "present" ? 7 : null },
  ]);
  return { item: ITEM, record: { quality: "complete", fields: Object.fromEntries(fields) } };
};

const WHOLE = entry({ owner: "present", tax: "present", pool: "missing" });
const BLANK = entry({ owner: "present", tax: "empty", pool: "present" });
const LOST = entry({ owner: "missing", tax: "malformed", pool: "present" });
const FAILED: ExportEntry = { item: { ...ITEM, state: "failed" } };

const kept = (options: GapOptions, entries = [WHOLE, BLANK, LOST, FAILED]) => {
  const filter = new GapFilter(SPEC, options);
  const written = entries.filter((one) => filter.apply(one) !== undefined);
  return { written, leftOut: filter.leftOut, gaps: Object.fromEntries(filter.reasons) };
};

test("gaps are kept unless told otherwise", () => {
  const { written, leftOut, gaps } = kept({});
  assert.deepEqual([written.length, leftOut, gaps], [4, 0, {}]);
});

test("dropped are records with a gap in a required field, of whatever status, and items without a record; each gap is counted", () => {
  const { written, leftOut, gaps } = kept({ gaps: "drop", dropWithout: ["owner"] });
  assert.deepEqual(written, [WHOLE]);
  assert.equal(leftOut, 3);
  assert.deepEqual(gaps, { "no tax": 2, "no owner": 1, "failed without a record": 1 });
});

test("the fields that a record may not lack can be named, optional ones too", () => {
  const { written, gaps } = kept({ dropWithout: ["pool"] });
  assert.deepEqual(written, [BLANK, LOST]);
  assert.deepEqual(gaps, { "no pool": 1, "failed without a record": 1 });
});

test("a gap that is filled is none, and keeps its status", () => {
  const filter = new GapFilter(SPEC, { gaps: "drop", fill: new Map([["tax", 0]]) });
  const fields = filter.apply(BLANK)?.record?.fields;
  assert.deepEqual(fields?.["tax"], { status: "empty", value: 0 });
  assert.deepEqual(fields?.["owner"], { status: "present", value: 7 });
  assert.equal(filter.apply(LOST), undefined);
});

test("of a scraper that makes no records, none is asked for", () => {
  const [root] = SPEC.scrapers;
  const spec = { ...SPEC, scrapers: [{ ...root!, extracts: false, fields: [], required: [] }] };
  assert.notEqual(new GapFilter(spec, { gaps: "drop" }).apply(FAILED), undefined);
});

test("a field that the job does not have is refused", () => {
  for (const options of [{ dropWithout: ["onwer"] }, { fill: new Map([["onwer", 1]]) }])
    assert.throws(() => new GapFilter(SPEC, options), { code: "no-such-field" });
});
