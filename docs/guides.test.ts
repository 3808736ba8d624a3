// e2e: runs the guides' commands
import assert from "node:assert/strict";
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { follow, linesOf } from "./follow-guide.ts";

test("the first scraper, drafted, written, tested and run as the guide says", async () => {
  const { folder, output } = await follow("docs/first-scraper.md", { npx: "" });
  const project = join(folder, "my-scrapers");
  const rows = linesOf(project, "bills.csv");
  assert.equal(rows.length, 61);
  assert.ok(rows.slice(1).every((row) => row.includes(",done,")));
  assert.equal(linesOf(project, "first.csv").length, 6);
  assert.equal(linesOf(project, "bills.jsonl").length, 60);
  assert.deepEqual(globSync("scrapers/willow/fixtures/*", { cwd: project }).length, 2);
  assert.match(output, /2 scrapers · 3 cases/);
  rmSync(folder, { recursive: true, force: true });
});

test("fixtures and tests, as the guide says", async () => {
  const { folder } = await follow("docs/fixtures.md");
  rmSync(folder, { recursive: true, force: true });
});

test("stored pages: extracted again without the site, as the guide says", async () => {
  // Where the guide says that the site is gone, it must be.
  const { folder, output } = await follow("docs/stored-pages.md", {
    check: {
      after: "wait $SITE || true\n",
      run: `if (exec 3<>/dev/tcp/127.0.0.1/8700) 2>/dev/null; then echo "the site still answers"; exit 1; fi\n`,
    },
  });
  assert.equal(linesOf(folder, "back.csv")[0], linesOf(folder, "first.csv")[0]);
  assert.match(output, /marketValue +– +– +60/);
  assert.match(output, /billLink +60/);
  const [header = "", ...rows] = linesOf(folder, "again.csv");
  assert.ok(header.includes("billLink"));
  assert.equal(rows.length, 60);
  assert.ok(!linesOf(folder, "first.csv")[0]!.includes("billLink"));
  assert.match(output, /collected.csv: 60 records/);
  rmSync(folder, { recursive: true, force: true });
});

test("retention: an item is shown, its pages and then its job are removed, as the guide says", async () => {
  const { folder, output } = await follow("docs/retention.md");
  assert.match(output, /Attempts: 1, \d+ requests/);
  assert.match(output, /\.owner/);
  assert.match(output, /40 files .* written to bills/);
  assert.match(output, /^\d{10}-bill\.pdf$/m);
  assert.match(output, /Removed the pages of 1 job: 0 items, 80 captures/);
  assert.equal(linesOf(folder, "still-there.csv").length, 41);
  assert.match(output, /the job was removed on .*: 40 items/);
  assert.match(output, /Nothing is due by the `retention` of any scraper/);
  rmSync(folder, { recursive: true, force: true });
});

test("backup: damage is reported, repaired where possible, and a backup is restored, as the guide says", async () => {
  const { folder, output } = await follow("docs/backup.md");
  assert.match(output, /records: jobs\/.*: its records .* are damaged/);
  assert.match(output, /fsck ended with 6\n/);
  assert.match(output, /export ended with 6\n/);
  assert.equal(linesOf(folder, "checked.csv").length, 40);
  assert.match(output, /index: .*\.cdxj: it is missing/);
  assert.match(output, /problems?, \d+ repaired/);
  assert.match(output, /Backup of \.\/data in copy-of-data: as of/);
  assert.equal(linesOf(folder, "restored.csv").length, 41);
  assert.match(output, /done, 40 of 40 items recovered with their data/);
  assert.equal(linesOf(folder, "rebuilt.csv").length, 41);
  rmSync(folder, { recursive: true, force: true });
});

test("fields: each status is shown with its reason, and gaps are kept, dropped or filled as the guide says", async () => {
  const { folder, output } = await follow("docs/fields.md");
  assert.match(output, /tax\.due +malformed +\$4,5I2\.37 +#taxdue/);
  assert.match(output, /expects an amount of money/);
  assert.match(output, /^ +taxRate( +\d+ +[\d.]+%){4}$/m);
  assert.equal(linesOf(folder, "all.csv").length, 101);
  const whole = linesOf(folder, "whole.csv").length - 1;
  assert.ok(whole > 0);
  assert.ok(output.includes(`${100 - whole} records dropped for missing values`));
  const [header = "", ...filled] = linesOf(folder, "filled.csv");
  const marketValue = header.split(",").indexOf("marketValue");
  assert.equal(marketValue, 3);
  assert.ok(filled.some((row) => /^\d{10},\d{10},(?:"[^"]*"|[^,]*),0,/.test(row)));
  rmSync(folder, { recursive: true, force: true });
});

test("XML, feeds and JSON: a scraper for each, tried, run, captured, tested, extracted again and exported", async () => {
  const { folder, output } = await follow("docs/xml-and-json.md");
  const rowsOf = (file: string): Record<string, unknown>[] =>
    linesOf(folder, file).map((line) => JSON.parse(line) as Record<string, unknown>);
  const news = rowsOf("news.jsonl");
  assert.equal(news.length, 3);
  assert.equal(news[2]!["title"], "Library <closed> on Monday");
  assert.equal(news[0]!["html"], "<p>All about <b>Budget &amp; taxes</b>.</p>");
  assert.match(String(news[1]!["link"]), /^http:.*\/pages\/2\?from=rss&n=1$/);
  assert.equal(news[0]!["author"], "Town clerk");
  assert.equal(news[0]!["published"], "2024-02-02T16:05:00Z");
  const [notice] = rowsOf("notices.jsonl");
  assert.equal(notice!["title"], "Notice <i>1</i>");
  assert.match(String(notice!["link"]), /^http:.*\/pages\/1$/);
  assert.equal(notice!["summary"], "Hearing at noon");
  const pages = rowsOf("pages.jsonl").filter(({ _scraper }) => _scraper === "notice-page");
  assert.deepEqual(
    pages.map(({ title }) => String(title)).toSorted(),
    [1, 2, 3, 4, 5, 6].map((n) => `Notice ${n}`),
  );
  // The parcel that the service does not know is absent.
  const assessed = rowsOf("assessed.jsonl").filter(({ owner }) => owner !== null);
  assert.deepEqual(
    assessed.map(({ owner, marketValue, currency }) => [owner, marketValue, currency]),
    [
      ["Ann Smith", 184_890, "USD"],
      ["José Núñez", 284_890, "USD"],
      ["Smith & Sons", 384_890, "USD"],
    ],
  );
  const permits = rowsOf("permits.jsonl");
  assert.deepEqual(
    permits.map(({ id }) => Number(id) - 4000).sort((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
  assert.ok(permits.every(({ total }) => total === 10));
  assert.deepEqual(permits.find(({ id }) => id === 4002)!["inspections"], [
    { on: "2024-04-01", passed: true },
    { on: "2024-04-02", passed: false },
  ]);
  assert.deepEqual(
    rowsOf("fees.jsonl")
      .map(({ fee, tax }) => [fee, tax])
      .at(0),
    [125.5, 12.55],
  );
  assert.equal(linesOf(folder, "fees.csv").length, 5);
  // Where each value stands in the XML and in the JSON.
  assert.match(output, /author +present +Town clerk +dc\|creator +\d+:\d+/);
  assert.match(output, /applicant +present +Applicant 1 +path applicant\.name +\d+:\d+/);
  assert.deepEqual(globSync("fixtures/*/*.{xml,json}", { cwd: folder }).length, 6);
  rmSync(folder, { recursive: true, force: true });
});
