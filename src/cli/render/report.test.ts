import { storageLocation } from "../../config/storage-location.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { viewOf } from "../../reextract/current-view.ts";
import type { StoredExtraction } from "../../archive/extractions.ts";
import { sampleView } from "../testing/sample-view.ts";
import { textWidth } from "../text.ts";
import { renderReport } from "./report.ts";

process.env["SLUICE_COMMAND"] = "sluice";

const report = (...[view, facts]: Parameters<typeof renderReport>) =>
  `${renderReport(view, facts).join("\n")}\n`;

test("a job without problems has a short report", () => {
  const view = sampleView({ state: "done", states: { done: 1200 }, requests: 4911, bytes: 28_900_000 });
  assert.equal(
    report(view, { location: storageLocation({ data: "./data" }), tookMs: 16_200, output: "out.csv" }),
    `
Job 20261115-203412-k3f9 (county): done after 16s, 4,911 requests, 28.9 MB

  state   items
  done    1,200  100.0%
  absent      0    0.0%
  failed      0    0.0%
  all     1,200

Results   out.csv
Archive   data/blobs/jobs/20261115-203412-k3f9
Manifest  data/blobs/jobs/20261115-203412-k3f9/manifest.jsonl
Log       data/logs/20261115-203412-k3f9.jsonl
`,
  );
});

const troubled = sampleView({
  state: "paused",
  spec: { fields: ["owner", "marketValue", "exemptions"], required: ["owner", "marketValue"] },
  states: { done: 90, absent: 3, failed: 5, queued: 902 },
  counts: { folded: 2, rejected: 7 },
  partial: 4,
  failures: [
    {
      kind: "blocked",
      count: 4,
      exampleKey: "1816584882",
      exampleDetail: "the site answered 403: Cloudflare block",
    },
    {
      kind: "structure-changed",
      count: 1,
      exampleKey: "https://tax.example.gov/property/detail?parcel=9247574266",
      exampleDetail: "the page loaded, but none of its 10\x1b[31m required fields was found",
    },
  ],
  fieldCounts: [90, 0, 0, 0, 85, 1, 3, 1, 50, 0, 40, 0],
  rejects: [
    { line: 17, problem: "parcel: expected 10 digits" },
    { line: 18, problem: "2 columns where the header has 1 column" },
    ...[20, 21, 22, 23].map((line) => ({ line, problem: "parcel: required" })),
  ],
  held: [
    {
      lane: "tax.example.gov",
      reason: "20 of the last 24 attempts (usually 2 %) failed: 16 blocked, 4 captcha",
      evidence: { chart: "failures", counts: { done: 30, blocked: 16, captcha: 4 } },
      heldAt: Date.UTC(2026, 10, 15, 20, 40),
      probeAt: Date.UTC(2026, 10, 15, 20, 41),
    },
    {
      lane: "example.org",
      reason: "owner missing in 9 of 9 records",
      evidence: { chart: "missing:owner" },
      heldAt: 0,
    },
    { lane: "old.example", reason: "held by an older version", evidence: null, heldAt: 0 },
  ],
  requests: 300,
  bytes: 812,
});

test("every problem is reported, with next steps", () => {
  assert.equal(
    report(troubled, { location: storageLocation({ data: "/srv/my data" }), tookMs: 300_000 }),
    `
Job 20261115-203412-k3f9 (county): paused after 5m 00s, 300 requests, 812 bytes

  state   items
  done       90   9.0%  4 partial: required fields missing or malformed
  absent      3   0.3%
  failed      5   0.5%
  queued    902  90.2%
  all     1,000
  1,009 inputs: 1,000 items, 2 duplicates, 7 rejected

  failure            items  example
  blocked                4  1816584882: the site answered 403: Cloudflare block
  structure-changed      1  https://tax.example.gov/prope…: the page loaded, bu…

  field          present     empty    missing  malformed
  owner        90 100.0%         –          –          –
  marketValue  85  94.4%  1   1.1%   3   3.3%   1   1.1%
  exemptions?  50  55.6%         –  40  44.4%          –
  ?: optional

  line  rejected input
    17  parcel: expected 10 digits
    18  2 columns where the header has 1 column
    20  parcel: required
    21  parcel: required
    22  parcel: required
  and 2 more

Held: tax.example.gov
  20 of the last 24 attempts (usually 2 %) failed: 16 blocked, 4 captcha
  last outcomes: 30 done, 16 blocked, 4 captcha; held since 2026-11-15
  20:40:00Z, retried with one item at 2026-11-15 20:41:00Z
  The site blocks this machine. Continue later and slower, or from another
  address.
Held: example.org
  owner missing in 9 of 9 records
  held since 1970-01-01 00:00:00Z, needs your attention
  The pages have changed. Correct the scraper's selectors, then continue with
  the new version.
Held: old.example
  held by an older version
  held since 1970-01-01 00:00:00Z, needs your attention

Archive   /srv/my data/blobs/jobs/20261115-203412-k3f9
Manifest  /srv/my data/blobs/jobs/20261115-203412-k3f9/manifest.jsonl
Log       /srv/my data/logs/20261115-203412-k3f9.jsonl

Next
  continue after you fix the scraper:
    sluice resume 20261115-203412-k3f9 --new-version --data '/srv/my data'
  continue when the site responds normally:
    sluice resume 20261115-203412-k3f9 --data '/srv/my data'
  list the failed items:
    sluice items ls 20261115-203412-k3f9 --state failed --data '/srv/my data'
  retry the 5 failed items:
    sluice jobs retry 20261115-203412-k3f9 --data '/srv/my data'
  write the results to a file:
    sluice export 20261115-203412-k3f9 --output 20261115-203412-k3f9.csv --data '/srv/my data'
`,
  );
});

test("counts of a large job leave the field table within 80 columns", () => {
  const view = sampleView({
    state: "done",
    states: { done: 5_000_000 },
    spec: { fields: ["aFieldWithQuiteALongNameThatGoesOn"], required: [] },
    fieldCounts: [2_000_000, 1_000_000, 1_500_000, 500_000],
  });
  const lines = renderReport(view, {
    location: storageLocation({ data: "./data" }),
    tookMs: 1,
    output: "o.csv",
  });
  const row = lines.find((line) => line.includes("aField"));
  assert.equal(row, "  aFieldWithQuiteALongNameT…    40.0%  20.0%    30.0%      10.0%");
  for (const line of lines) assert.ok(textWidth(line) <= 80, line);
});

const stepsOf = (sample: Parameters<typeof sampleView>[0], output?: string) => {
  const lines = renderReport(sampleView(sample), {
    location: storageLocation({ data: "./data" }),
    tookMs: 1,
    ...(output !== undefined && { output }),
  });
  const at = lines.indexOf("Next");
  return at === -1 ? [] : lines.slice(at + 1).flatMap((line) => /^ {4}(.*)/.exec(line)?.[1] ?? []);
};

test("the next steps fit the state of the job", () => {
  const id = "20261115-203412-k3f9";
  assert.deepEqual(stepsOf({ state: "done", states: { done: 1 } }, "o.csv"), []);
  assert.deepEqual(stepsOf({ state: "done", states: { done: 1 } }), [
    `sluice export ${id} --output ${id}.csv`,
  ]);
  assert.deepEqual(stepsOf({ state: "done", states: { failed: 2 } }, "o.csv"), [
    `sluice items ls ${id} --state failed`,
    `sluice jobs retry ${id}`,
  ]);
  assert.deepEqual(stepsOf({ state: "paused", states: { queued: 2 } }, "o.csv"), [`sluice resume ${id}`]);
  assert.deepEqual(stepsOf({ state: "paused", isSealed: false }, "o.csv"), [
    `sluice resume ${id} --input FILE`,
    `sluice jobs seal ${id}`,
  ]);
  assert.deepEqual(stepsOf({ state: "cancelled", states: { failed: 1, cancelled: 1 } }, "o.csv"), [
    `sluice items ls ${id} --state failed`,
  ]);
});

const FACTS = { location: storageLocation({ data: "./other" }), tookMs: 1 };

test("a job of several scrapers has a table of fields for each that has some", () => {
  const [root] = sampleView().spec.scrapers;
  const of = (name: string, fields: readonly string[]) => ({ ...root!, name, fields, required: fields });
  const view = sampleView({
    spec: {
      scrapers: [of("list", []), of("town", ["mayor"]), of("street", ["name", "length"])],
      fields: ["town.mayor", "street.name", "street.length"],
      required: ["town.mayor", "street.name", "street.length"],
    },
    fieldCounts: [3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  });
  const text = report(view, FACTS);
  assert.match(text, /\(list, town, street\)/);
  assert.match(text, /field of town .*\n +mayor +3 +75.0% +– +1 +25.0%/);
  assert.doesNotMatch(text, /field of (list|street)/);
});

test("a job without extraction shows how to get records", () => {
  assert.match(
    report(sampleView({ spec: { extracts: false } }), FACTS),
    /sluice extract 20261115-203412-k3f9 --data/,
  );
});

test("rejected inputs found while crawling name their page, separately from those of the file", () => {
  const rejects = [
    { line: 7, problem: "url: required" },
    { line: 3, parent: "https://a.example/list", problem: "town: url: required" },
  ];
  const text = report(sampleView({ counts: { rejected: 5 }, rejects }), { ...FACTS, input: "in.csv" });
  assert.match(text, /line +rejected input of in\.csv\n +7 +url: required\n/);
  assert.match(
    text,
    /found on +row +rejected input\n +https:\/\/a\.example\/list +3 +town: url: required\n +and 3 more/,
  );
});

test("the report shows why a job is paused, what changed, and a spent budget", () => {
  const at = Date.UTC(2026, 10, 15, 21, 0, 0);
  const paused = { cause: "scraper", reason: "scraper county was changed", at } as const;
  const changes = { new: 1200, changed: 3, unchanged: 0, gone: 1 };
  const text = report(sampleView({ state: "paused", paused, budgetSpentAt: at + 1000, changes }), FACTS);
  assert.match(text, /\n {2}paused since 2026-11-15 21:00:00Z: scraper county was changed\n/);
  assert.match(text, /\n {2}budget spent at 2026-11-15 21:00:01Z\n/);
  assert.match(text, /\n {2}Since the previous run: 1,200 new, 3 changed, 0 unchanged, 1 gone\n/);
});

test("with several sets of records, the report names and shows the current one", () => {
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
  const facts = { location: storageLocation({ data: "./data" }), tookMs: 1_000 };
  const shown = report(viewOf(view, set)!, { ...facts, set });
  assert.ok(
    shown.includes(`
Extraction 20261116-101500-m2x7 is current; this report shows it:
  2 records of 3 stored items, 1 item partial, 1 item failed

  state   items
  done        2  66.7%  1 partial: required fields missing or malformed
  absent      0   0.0%
  failed      1  33.3%
  all         3

  failure            items  example
  structure-changed      1  3: no owner

  field   present  empty  missing  malformed
  owner  2 100.0%      –        –          –
  tax?   1  50.0%      –        –   1  50.0%
`),
    shown,
  );
  assert.match(
    report(view, { ...facts, set: "first" }),
    /The records of the original run are current\.[^]* +owner +3 100.0%/,
  );
});

process.env["SLUICE_COMMAND"] = "sluice";

test("capped inputs are reported, each with its next step", () => {
  const text = report(
    sampleView({
      states: { done: 30 },
      counts: { capped: 12 },
      cappedBy: { items: 7, depth: 2, chain: 1, budget: 2, quota: 0 },
      spec: { maxItems: 30, maxDepth: 10, scrapers: [{ ...sampleView().spec.scrapers[0]!, maxChain: 500 }] },
    }),
    FACTS,
  );
  assert.match(text, /42 inputs, submitted and found: 30 items, 12 capped/);
  const flat = text.replaceAll(/\s+/g, " ");
  assert.match(flat, /7 inputs over the limit of 30 items \(--max-items\)/);
  assert.match(flat, /2 inputs found more than 10 steps away/);
  assert.match(flat, /1 input found after 500 consecutive next pages/);
  assert.match(flat, /2 inputs found after the budget was spent/);
  assert.match(flat, /sluice resume \S+ --max-items 60 --max-depth 20 --max-chain 1000/);
});

test("inputs found after a cancel are not blamed on a limit", () => {
  const text = report(
    sampleView({
      state: "cancelled",
      states: { done: 3 },
      counts: { capped: 2 },
      cappedBy: { items: 2, depth: 0, chain: 0, budget: 0, quota: 0 },
      spec: { maxItems: Number.MAX_SAFE_INTEGER },
    }),
    FACTS,
  );
  assert.match(text, /Capped: 2 inputs found after the job was cancelled\./);
  assert.ok(!text.includes("--max-items"));
});

test("a 404 gets advice on accepting it as an answer", () => {
  const failures = [
    { kind: "navigation" as const, count: 3, exampleKey: "7", exampleDetail: "the site answered 404" },
  ];
  const text = report(sampleView({ states: { failed: 3 }, failures }), FACTS).replaceAll(/\s+/g, " ");
  assert.match(text, /accept: \[404\]/);
  assert.match(text, /throw absent\(\)/);
});
