import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { judge } from "../pipeline/judge.ts";
import { recordHead } from "./extracted-records.ts";

const EXTRACTION = { fieldNames: ["a"], required: ["a"], read: () => [] };

test("the head of every line that judging writes is read as JSON would read it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), fc.boolean(), (key, from, isPartial) => {
      const raw = isPartial ? null : '","quality":"x';
      const fields = { a: { raw, isEmpty: false, value: { key: "other", quality: "partial" } } };
      const origin = { job: "1", key, scraper: 'the "county" \\', version: "v" };
      const [line] = judge([{ from, fields }], EXTRACTION, origin).lines;
      const { key: readKey, scraper, quality } = recordHead(Buffer.from(`${line!}\n`));
      const expected = JSON.parse(line!) as Record<string, unknown>;
      assert.deepEqual(
        [readKey, scraper, quality],
        [expected["key"], expected["scraper"], expected["quality"]],
      );
    }),
  );
});

test("a line that is written otherwise is read all the same", () => {
  const line = '{ "fields": {}, "quality": "partial", "scraper": "s", "key": "k" }\n';
  const { key, scraper, quality } = recordHead(Buffer.from(line));
  assert.deepEqual([key, scraper, quality], ["k", "s", "partial"]);
});
