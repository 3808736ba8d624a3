import assert from "node:assert/strict";
import { test } from "node:test";
import { differingField, type RecordFields, sameRecords } from "./same-records.ts";

const present = (value: unknown) => ({ status: "present" as const, value });
const record = (fields: RecordFields): RecordFields => ({ id: present(1), ...fields });

test("status and value count; the order of members does not", () => {
  const rows = [{ year: 2025, paid: 1 }];
  assert.ok(
    sameRecords(
      [record({ rows: present(rows) })],
      [record({ rows: present([{ paid: 1, year: 2025 }]) })],
      [],
    ),
  );
  assert.equal(differingField(record({ rows: present(rows) }), record({ rows: present([]) }), []), "rows");
  assert.equal(differingField(record({}), record({ id: { status: "malformed", value: null } }), []), "id");
  assert.ok(!sameRecords([record({})], [], []));
});

test("an optional field may lack a value in either way, a required one may not", () => {
  const [empty, missing] = [record({ note: { status: "empty", value: null } }), record({})];
  assert.equal(differingField(empty, missing, ["id"]), undefined);
  assert.equal(differingField(empty, missing, ["note"]), "note");
});
