import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { countFields, judgePage, judgeRecord } from "./judgement.ts";
import { FIELD_STATUSES } from "./record.ts";
import type { RawField, RawRecord } from "./record.ts";

const present: RawField = { raw: "$5", by: "#tax", isEmpty: false, value: 5 };
const empty: RawField = { raw: "--", by: "#tax", isEmpty: true, value: null };
const missing: RawField = { raw: null, isEmpty: false, value: null };
const malformed: RawField = { raw: "5x", by: "#tax", isEmpty: false, value: null, problem: "not a number" };
const record = (fields: Record<string, RawField>): RawRecord => ({ from: "detail", fields });

test("every field gets its status, its raw text and its selector", () => {
  const { fields } = judgeRecord(record({ present, empty, missing, malformed }), []);
  assert.deepEqual(fields, {
    present: { status: "present", value: 5, raw: "$5", by: "#tax" },
    empty: { status: "empty", value: null, raw: "--", by: "#tax" },
    missing: { status: "missing", value: null },
    malformed: { status: "malformed", value: null, raw: "5x", by: "#tax", why: "not a number" },
  });
});

test("the place of a field is kept, and why it is empty or missing", () => {
  const { fields } = judgeRecord(
    record({
      placed: { ...present, at: 0 },
      unavailable: { ...empty, unavailable: "no tax here", at: 7 },
      incomplete: { ...missing, problem: "the table has no such column" },
    }),
    [],
  );
  assert.deepEqual(fields, {
    placed: { status: "present", value: 5, raw: "$5", by: "#tax", at: 0 },
    unavailable: {
      status: "empty",
      value: null,
      raw: "--",
      by: "#tax",
      at: 7,
      why: "unavailable: no tax here",
    },
    incomplete: { status: "missing", value: null, why: "the table has no such column" },
  });
});

test("a required field that is missing or malformed makes the record partial, an empty one does not", () => {
  const quality = (field: RawField): string =>
    judgeRecord(record({ a: field, b: present }), ["a", "b"]).quality;
  assert.equal(quality(present), "complete");
  assert.equal(quality(empty), "complete");
  assert.equal(quality(missing), "partial");
  assert.equal(quality(malformed), "partial");
  assert.equal(judgeRecord(record({ a: missing, b: malformed }), []).quality, "complete");
});

test("a required field that extraction does not even mention is missing", () => {
  const judged = judgeRecord(record({}), ["constructor"]);
  assert.equal(judged.quality, "partial");
  assert.deepEqual(judged.fields["constructor"], { status: "missing", value: null });
});

const verdict = (records: RawRecord[], required: string[]): string => judgePage(records, required).verdict;

test("a page has changed when every required field of every record is missing", () => {
  assert.equal(verdict([record({ a: missing, b: missing, c: present })], ["a", "b"]), "structure-changed");
  assert.equal(verdict([record({ a: missing, b: empty })], ["a", "b"]), "ok");
  assert.equal(verdict([record({ a: missing, b: malformed })], ["a", "b"]), "ok");
  assert.equal(verdict([record({ a: missing }), record({ a: present })], ["a"]), "ok");
  assert.equal(verdict([record({ a: missing }), record({ a: missing })], ["a"]), "structure-changed");
});

test("no rows at all is a change only where something is required", () => {
  assert.equal(judgePage([], ["a"]).verdict, "structure-changed");
  assert.equal(judgePage([], []).verdict, "ok");
  assert.equal(judgePage([record({ a: missing })], []).verdict, "ok");
});

test("the fields that a changed page still has are kept", () => {
  const { records } = judgePage([record({ a: missing, note: present })], ["a"]);
  assert.equal(records[0]?.fields["note"]?.value, 5);
  assert.equal(records[0]?.quality, "partial");
});

const raw = (text: string): string | undefined =>
  judgeRecord(record({ a: { ...present, raw: text } }), []).fields["a"]?.raw;

test("raw text is kept to 500 characters, and no character is cut in half", () => {
  assert.equal(raw("x".repeat(500))?.length, 500);
  assert.equal(raw("x".repeat(501))?.length, 500);
  assert.equal(raw(`${"x".repeat(499)}🏠`), "x".repeat(499));
});

test("counts are in the order of the names and the statuses", () => {
  assert.deepEqual(FIELD_STATUSES, ["present", "empty", "missing", "malformed"]);
  const { records } = judgePage(
    [record({ a: present, b: empty }), record({ a: malformed, b: present }), record({ a: present })],
    [],
  );
  assert.deepEqual(countFields(records, ["b", "a"]), [1, 1, 1, 0, 2, 0, 0, 1]);
  assert.deepEqual(countFields([], ["a"]), [0, 0, 0, 0]);
});

const anyField: fc.Arbitrary<RawField> = fc.record(
  {
    raw: fc.option(fc.string()),
    by: fc.string(),
    problem: fc.string(),
    at: fc.nat(),
    unavailable: fc.string(),
    isEmpty: fc.boolean(),
    value: fc.anything(),
  },
  { requiredKeys: ["raw", "isEmpty", "value"] },
);
const name = fc.oneof(fc.constantFrom("a", "b", "__proto__", "constructor"), fc.string());

test("judging never throws, loses no field, and a value is there exactly when its status is present", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.tuple(name, anyField))), fc.array(name), (rows, required) => {
      const raws = rows.map((row) => record(Object.fromEntries(row)));
      const { records, verdict: judged } = judgePage(raws, required);
      for (const [index, { fields }] of records.entries()) {
        const names = new Set([...Object.keys(raws[index]?.fields ?? {}), ...required]);
        assert.deepEqual(new Set(Object.keys(fields)), names);
        for (const { status, value } of Object.values(fields))
          if (status !== "present") assert.equal(value, null);
      }
      const names = [...new Set(required)];
      const counts = countFields(records, names);
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        names.length * records.length,
      );
      const allMissing = names.every((_, at) => counts[at * 4 + 2] === records.length);
      assert.equal(judged, names.length > 0 && allMissing ? "structure-changed" : "ok");
    }),
    { numRuns: 500 },
  );
});
