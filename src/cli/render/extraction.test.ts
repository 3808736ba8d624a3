import { storageLocation } from "../../config/storage-location.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredExtraction } from "../../archive/extractions.ts";
import { compareItems, type ItemSide, newDifference } from "../../reextract/difference.ts";
import type { Extracted } from "../../reextract/extract-job.ts";
import {
  differenceJson,
  extractionLines,
  openExtractProgress,
  renderDifference,
  renderExtraction,
} from "./extraction.ts";
import type { ProgressMode } from "./progress.ts";

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
const FACTS = { tookMs: 1_000, cores: 1, location: storageLocation({ data: "./data" }) };

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

test("singular counts use the singular", () => {
  assert.deepEqual(rendered({}), [
    "job: 1 stored item extracted in 1.0s (1/s, 1 core) with a v",
    "  1 record; 1 item done",
    "  The records of extraction x1 are current: `sluice export job` writes them. Use --extraction first for those of the original run.",
  ]);
});

test("an extraction says whether it is current, and if not, which one is and why", () => {
  const overtaken = rendered({ current: "job@x2" });
  assert.match(overtaken.at(-1)!, /x1 is stored but not current: extraction x2 was started or chosen later/);
  const held = rendered({ current: "job@first", extraction: { ...EXTRACTION, notCurrent: "nothing came" } });
  assert.match(held.at(-2)!, /not current: nothing came\. `sluice extract job --use x1`/);
  assert.match(held.at(-1)!, /The records of the original run are current/);
});

test("scrapers that no longer exist are named", () => {
  assert.ok(rendered({ gone: ["town"] }).some((line) => line.includes("Scraper town no longer exists")));
});

test("a job's report marks which extraction is current, or that none is", () => {
  const held = { ...EXTRACTION, id: "x2", notCurrent: "nothing came" };
  const extractions = [EXTRACTION, held];
  const lines = extractionLines({ extractions, current: EXTRACTION });
  assert.deepEqual(lines.slice(2), [
    "  x1  1 record with a v, current",
    "  x2  1 record with a v, not current: nothing came",
  ]);
  assert.match(extractionLines({ extractions, current: undefined }).at(-1)!, /None of them is current/);
  assert.deepEqual(extractionLines({ extractions: [], current: undefined }), []);
});

const side = (owner: string | undefined, state: ItemSide["state"] = "done"): ItemSide => ({
  state,
  records: [
    {
      quality: "complete",
      fields: {
        owner: owner === undefined ? { status: "missing", value: null } : { status: "present", value: owner },
      },
    },
  ],
});
const NAMES = { before: "a@first", after: "a@x" };

test("equal sets are reported in one line", () => {
  const difference = newDifference();
  compareItems(difference, "1", side("Ann"), side("Ann"), { most: 1 });
  assert.deepEqual(renderDifference(difference, NAMES, Infinity), [
    "No differences: the records of 1 item are the same in both sets.",
  ]);
});

test("a difference is a table of fields with examples, cut to the width and without control sequences", () => {
  const difference = newDifference();
  compareItems(difference, "1", side("Ann"), side("Bo\x1b[31m\n"), { most: 1 });
  compareItems(difference, "2", side("Cy"), side(undefined), { most: 1 });
  compareItems(difference, "3", side("Di"), side("x".repeat(500)), { most: 1 });
  compareItems(difference, "4", side(undefined, "failed"), { state: "done", records: [] }, { most: 1 });
  const lines = renderDifference(difference, NAMES, 60);
  assert.deepEqual(lines, [
    "4 of 4 items differ.",
    "  1 item failed → done, for example 4",
    "  1 record lost, for example 4",
    "",
    "  field  gained  lost  changed  restated  same",
    "  owner       –     1        2         –     –",
    "",
    "  owner",
    '    lost      2: "Cy" → missing',
    String.raw`    changed   1: "Ann" → "Bo\u001b[31m\n"`,
  ]);
  assert.ok(lines.every((line) => line.length <= 60));
});

test("the JSON has the same counts", () => {
  const difference = newDifference();
  compareItems(difference, "1", side("Ann"), side("Bo", "failed"), { most: 1 });
  const json = JSON.parse(JSON.stringify(differenceJson(difference))) as Record<
    string,
    Record<string, unknown>
  >;
  assert.deepEqual(json["states"], { "done → failed": { count: 1, keys: ["1"] } });
  assert.equal((json["fields"]!["owner"] as { changed: number }).changed, 1);
});

/** Two hundred items a second, told once every half second for twelve seconds. */
const tell = (mode: ProgressMode): { readonly people: string[]; readonly programs: string[] } => {
  const people: string[] = [];
  const programs: string[] = [];
  let now = 0;
  using progress = openExtractProgress({
    mode,
    job: "j",
    total: 10_000,
    stream: { write: (text) => people.push(text), columns: 60 },
    out: { write: (text) => programs.push(text) },
    now: () => now,
  });
  for (now = 500; now <= 12_000; now += 500) progress.update(now / 5);
  progress.note("printed by a scraper");
  return { people, programs };
};

test("without a terminal, a line appears occasionally, with rate and remaining time", () => {
  const { people, programs } = tell("lines");
  assert.deepEqual(people, [
    "j: 1,000 of 10,000 items extracted, 10.0%, 200/s, 45s left\n",
    "j: 2,000 of 10,000 items extracted, 20.0%, 200/s, 40s left\n",
    "printed by a scraper\n",
  ]);
  assert.deepEqual(programs, []);
});

test("on a terminal one line is redrawn, and gone at the end", () => {
  const { people } = tell("live");
  assert.ok(people.length > 20);
  for (const text of people.slice(0, 20)) {
    assert.ok(text.startsWith("\r"));
    assert.ok(text.length <= 60 + "\r\x1b[K".length);
  }
  assert.equal(people.at(-1), "\r\x1b[K");
});

test("programs get JSON, and nobody anything when all is quiet", () => {
  const { people, programs } = tell("json");
  const lines = programs.map((text) => JSON.parse(text) as Record<string, unknown>);
  assert.deepEqual(people, []);
  assert.equal(lines.at(-1)?.["type"], "note");
  assert.deepEqual(lines[0], {
    type: "progress",
    job: "j",
    items: 200,
    total: 10_000,
    perSecond: 200,
    etaMs: 49_000,
  });
  assert.deepEqual(tell("quiet"), { people: [], programs: [] });
});
