import assert from "node:assert/strict";
import { test } from "node:test";
import { newDifference } from "../reextract/difference.ts";
import type { Extracted } from "../reextract/extract-job.ts";
import type { StoredExtraction } from "../archive/extractions.ts";
import { extractionLines, renderExtraction } from "./render-extraction.ts";

const EXTRACTION: StoredExtraction = {
  id: "x1",
  job: "job",
  startedAt: 0,
  endedAt: 1,
  scrapers: [{ was: "a", name: "a", source: "", version: "v", fields: [], required: [], emits: false }],
  counts: { items: 1, done: 1, partial: 0, failed: 0, damaged: 0, records: 1 },
  fieldCounts: {},
  segments: [],
  failures: [],
};
const FACTS = { tookMs: 1_000, cores: 1, data: "./data" };

const rendered = (rest: Partial<Extracted>): string[] =>
  renderExtraction(
    {
      extraction: EXTRACTION,
      current: "job@x1",
      before: "job@first",
      difference: newDifference(),
      failed: [],
      gone: [],
      ...rest,
    },
    FACTS,
  );

test("one is said as one", () => {
  assert.deepEqual(rendered({}), [
    "job: 1 stored item extracted in 1.0s (1/s, 1 core) by a v",
    "  1 record; 1 item done",
    "  Current is extraction x1: `sluice export job` writes it; --extraction first, the records of the run itself.",
  ]);
});

test("an extraction says that it is current only when it is, and else which one and why", () => {
  const overtaken = rendered({ current: "job@x2" });
  assert.match(overtaken.at(-1)!, /x1 is stored, but extraction x2, .*, is current/);
  const held = rendered({ current: "job@first", extraction: { ...EXTRACTION, notCurrent: "nothing came" } });
  assert.match(held.at(-2)!, /not current: nothing came\. `sluice extract job --use x1`/);
  assert.match(held.at(-1)!, /Current is what the run itself made/);
});

test("scrapers that are gone are named", () => {
  assert.ok(rendered({ gone: ["town"] }).some((line) => line.includes("Scraper town is gone")));
});

test("a job's report marks which extraction is current, or that none is", () => {
  const held = { ...EXTRACTION, id: "x2", notCurrent: "nothing came" };
  const extractions = [EXTRACTION, held];
  const lines = extractionLines({ extractions, current: EXTRACTION });
  assert.deepEqual(lines.slice(2), [
    "  x1  1 record by a v, current",
    "  x2  1 record by a v, held back: nothing came",
  ]);
  assert.match(extractionLines({ extractions, current: undefined }).at(-1)!, /None of them is current/);
  assert.deepEqual(extractionLines({ extractions: [], current: undefined }), []);
});
