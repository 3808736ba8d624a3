import assert from "node:assert/strict";
import { test } from "node:test";
import { viewOf } from "../reextract/current-view.ts";
import type { StoredExtraction } from "../archive/extractions.ts";
import { renderReport } from "./render/report.ts";
import { sampleView } from "./testing/sample-view.ts";

const report = (...[view, facts]: Parameters<typeof renderReport>) =>
  `${renderReport(view, facts).join("\n")}\n`;

test("where a job has several sets of records, states and fields are those of the current one, and it is named", () => {
  const view = sampleView({
    state: "done",
    states: { done: 3 },
    spec: { fields: ["owner"], required: ["owner"] },
    fieldCounts: [3, 0, 0, 0],
  });
  const set: StoredExtraction = {
    id: "20261116-101500-m2x7",
    job: view.spec.id,
    startedAt: 0,
    endedAt: 1,
    scrapers: [
      {
        was: "county",
        name: "county",
        source: "",
        version: "v2",
        fields: ["owner", "tax"],
        required: ["owner"],
        emits: false,
      },
    ],
    counts: { items: 3, done: 2, partial: 1, failed: 1, damaged: 0, records: 2 },
    fieldCounts: {
      owner: { present: 2, empty: 0, missing: 0, malformed: 0 },
      tax: { present: 1, empty: 0, missing: 0, malformed: 1 },
    },
    failed: [{ kind: "structure-changed", count: 1, exampleKey: "3", exampleDetail: "no owner" }],
    replaces: { done: 3, partial: 0, failed: {} },
    segments: [],
    failures: [],
  };
  const facts = { data: "./data", tookMs: 1_000 };
  const shown = report(viewOf(view, set)!, { ...facts, set });
  assert.ok(
    shown.includes(`
Extraction 20261116-101500-m2x7 is current, and shown here:
  2 records of 3 stored items, 1 item partial, 1 item failed

  state   items
  done        2  66.7%  1 partial: some required fields not read
  absent      0   0.0%
  failed      1  33.3%
  all         3

  failure            items  for example
  structure-changed      1  3: no owner

  field   present  empty  missing  malformed
  owner  2 100.0%      –        –          –
  tax?   1  50.0%      –        –   1  50.0%
`),
    shown,
  );
  assert.match(
    report(view, { ...facts, set: "first" }),
    /The records of the run itself are current\.[^]* +owner +3 100.0%/,
  );
});
