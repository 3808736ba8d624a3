import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { decode, encode } from "./ledger-wire.ts";

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string(),
    fc.boolean(),
    fc.constantFrom(null, 0, 1.5, -1e300, Infinity, -Infinity, NaN),
    fc.array(fc.option(tie("value"), { nil: undefined })),
    fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom("$map", "$$map", "$number", "$", "__proto__")),
      tie("value"),
    ),
    fc.array(fc.tuple(fc.string(), tie("value"))).map((entries) => new Map(entries)),
  ),
})).value;

test("values arrive unchanged, whatever their property names", () => {
  fc.assert(
    fc.property(values, (value) => {
      assert.deepEqual(decode(encode([value])), [value === undefined ? undefined : structuredClone(value)]);
    }),
    { numRuns: 500 },
  );
});

test("getters are evaluated when they are sent, and undefined members are omitted", () => {
  const report = {
    get running() {
      return [1];
    },
    number: undefined,
  };
  assert.deepEqual(decode(encode([report, undefined])), [{ running: [1] }, undefined]);
});
