import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { readLines, startSite } from "./county-process.ts";
import { COUNTY_SCRAPER, sluice } from "./sluice-process.ts";

const PARCELS = 1000;
const HEALTHY = 200;
const CONCURRENCY = 8;
const folder = mkdtempSync(join(tmpdir(), "sluice-breaker-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const input = join(folder, "parcels.csv");
writeFileSync(input, [...parcelsCsv(PARCELS)].join(""));
const scraper = join(folder, "calm-county.scraper.ts");
writeFileSync(
  scraper,
  `import county from ${JSON.stringify(COUNTY_SCRAPER)};
   export default { ...county, pace: { perSecond: 150, concurrency: ${CONCURRENCY} } };`,
);

/** Runs the county until Sluice stops by itself, and returns the requests that the site saw after its change. */
const runUntilHeld = async (changeTo: string) => {
  const [data, log] = [join(folder, changeTo), join(folder, `${changeTo}.log`)];
  const args = [
    "--parcels",
    `${PARCELS}`,
    "--change-after",
    `${HEALTHY}`,
    "--change-to",
    changeTo,
    "--log",
    log,
  ];
  const site = await startSite(args);
  const run = ["run", scraper, "--input", input, "--data", data, "--processes", "2"];
  const { code, stderr } = await sluice(run, { COUNTY_URL: site.url });
  await site[Symbol.asyncDispose](); // the log is complete only after this
  const lines = readLines<{ layout?: string }>(log);
  const changedAt = lines.findIndex((line) => line.layout !== undefined);
  assert.ok(changedAt >= 0, "the site has changed");
  return { code, stderr, after: lines.length - changedAt - 1 };
};

test("the breaker detects a changed layout within 30 requests plus those in flight", async () => {
  const { code, stderr, after: requests } = await runUntilHeld("all");
  assert.equal(code, 4, stderr);
  assert.match(stderr, /structure-changed/);
  assert.ok(requests <= 30 + CONCURRENCY, `${requests} requests after the change`);
});

test("the breaker detects that three of ten required fields are gone", async () => {
  const { code, stderr, after: requests } = await runUntilHeld("some");
  assert.equal(code, 4, stderr);
  assert.match(stderr, /missing/);
  assert.ok(requests <= 60 + CONCURRENCY, `${requests} requests after the change`);
});

test("the breaker detects a search form that suddenly finds nothing", async () => {
  const { code, stderr, after: requests } = await runUntilHeld("search");
  assert.equal(code, 4, stderr);
  assert.match(stderr, /no such thing/);
  assert.ok(requests <= 60 + CONCURRENCY, `${requests} requests after the change`);
});
