import assert from "node:assert/strict";
import { test } from "node:test";
import { compileExtraction } from "../extraction/extract-spec.ts";
import { field } from "../extraction/field.ts";
import type { KeptPage } from "../domain/capture.ts";
import { extract } from "./extract.ts";
import { judge } from "./judge.ts";

const ORIGIN = { job: "j1", key: "k1", scraper: "county", version: "v1" };
const extraction = compileExtraction({
  fields: { owner: field.text("b"), tax: field.money("i"), note: field.text("u").optional() },
});
const rows = compileExtraction({
  each: "li",
  fields: { owner: field.text("b"), tax: field.money("i") },
});

const pages = (text: string): KeptPage[] => [
  { name: "detail", url: "https://a.example/1", status: 200, mediaType: "text/html", text },
];

const judged = (text: string, by = extraction) => {
  const read = extract(by, pages(text));
  assert.ok("records" in read);
  return judge(read.records, by, ORIGIN);
};

test("a record's line has its source and the status of every field", () => {
  const { lines, quality, missing, failure } = judged("<b>ANN</b><i>$1,200.50</i><u></u>");
  assert.equal(lines.length, 1);
  const { fields, ...head } = JSON.parse(lines[0]!) as { fields: Record<string, { status: string }> };
  assert.deepEqual(head, { ...ORIGIN, from: "detail", quality: "complete" });
  assert.deepEqual(
    Object.entries(fields).map(([name, { status }]) => [name, status]),
    [
      ["owner", "present"],
      ["tax", "present"],
      ["note", "empty"],
    ],
  );
  assert.deepEqual([quality, missing, failure], ["complete", [], undefined]);
});

test("a missing required field makes it partial and is named, an optional one does neither", () => {
  const { quality, missing, fieldCounts, failure } = judged("<b>ANN</b>");
  assert.deepEqual([quality, missing, failure], ["partial", ["tax"], undefined]);
  assert.deepEqual(fieldCounts, [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0]);
});

test("a field that is missing in any of an item's records is named once", () => {
  const { lines, quality, missing } = judged("<ul><li><b>A</b><i>$1</i><li><b>B</b><li><b>C</b></ul>", rows);
  assert.deepEqual([lines.length, quality, missing], [3, "partial", ["tax"]]);
});

test("a page without any required field has changed, and its partial record is kept", () => {
  const { lines, failure } = judged("<u>sold</u>");
  assert.equal(failure?.kind, "structure-changed");
  assert.match(failure.detail, /owner, tax/);
  assert.match(lines[0]!, /sold/);
});

test("a list that has lost all its rows has changed", () => {
  assert.equal(judged("<p>nothing here</p>", rows).failure?.kind, "structure-changed");
});
