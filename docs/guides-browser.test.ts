// e2e: runs the guides' commands
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { browserOrSkip, noBrowser } from "../test/browser.ts";
import { noRadosgw, Radosgw } from "../test/radosgw.ts";
import { follow, linesOf } from "./follow-guide.ts";

test("from recording to HTTP: the written scraper is proved and run, and the signed site is refused", async (t) => {
  if (!(await browserOrSkip(t))) return;
  const { folder, output } = await follow("docs/distill.md");
  const project = join(folder, "my-distilled");
  assert.match(output, /Proved with 22 inputs, \d of them absent/);
  assert.match(output, /query `sig` changes between runs and comes from no earlier response/);
  assert.match(output, /refused with 3/);
  const rows = linesOf(project, "taxes.csv");
  assert.equal(rows.length, 62);
  assert.equal(rows.filter((row) => row.includes(",absent,")).length, 1);
  rmSync(folder, { recursive: true, force: true });
});

test("forms, sessions and hops: the item of the guide is tried step by step", async () => {
  const { folder, output } = await follow("docs/forms.md");
  assert.match(output, /POST +\/search\.aspx +200/);
  assert.match(output, /stored file bill +application\/pdf/);
  rmSync(folder, { recursive: true, force: true });
});

test("proxies: a county that blocks this machine is collected through a tier, and the report has its cost", async () => {
  const { folder, output } = await follow("docs/proxies.md");
  const rows = linesOf(join(folder, "my-proxies"), "taxes.csv");
  assert.equal(rows.length, 101);
  assert.ok(rows.slice(1).every((row) => row.includes(",done,")));
  assert.match(output, /datacenter +\d/);
  rmSync(folder, { recursive: true, force: true });
});

test("the archive in a bucket, as the guide says", async (t) => {
  const reason = noRadosgw();
  if (reason !== undefined) return t.skip(reason);
  await using store = await Radosgw.start();
  Object.assign(process.env, store.env, { S3_ENDPOINT: store.endpoint });
  const { folder, output } = await follow("docs/s3.md");
  assert.equal(linesOf(folder, "my-bucket-job/bills.csv").length, 61);
  assert.match(output, /storage +\d/);
  assert.match(output, /no problems/);
  rmSync(folder, { recursive: true, force: true });
});

test("browser scrapers: tried, run, captured and tested, and one that finds out by itself where it needs a browser", async (t) => {
  if (!(await browserOrSkip(t))) return;
  const { folder, output } = await follow("docs/browser.md");
  assert.match(output, /^Browser +\S+, (headless shell|full Chromium) [\d.]+, found /m);
  assert.equal(linesOf(folder, "scripted.csv").length, 21);
  assert.match(output, /1 scraper · 1 case/);
  const [plain, scripted] = ["plain-bills.csv", "script-bills.csv"].map((file) =>
    linesOf(folder, file)
      .map((line) => line.replace(/\/(?:search|app)/g, ""))
      .toSorted(),
  );
  assert.equal(plain!.length, 9);
  assert.deepEqual(plain, scripted);
  assert.match(output, /^In a browser: either on /m);
  assert.match(output, /^HTTP first: either on /m);
  rmSync(folder, { recursive: true, force: true });
});

test(
  "recordings: a recorded flow becomes a scraper, with absent items, files and an adapter",
  { skip: noBrowser },
  async () => {
    const { folder, output } = await follow("docs/recordings.md");
    const [header = "", ...rows] = linesOf(folder, "my-recordings", "parcels-found.csv");
    assert.match(header, /owner,marketValue,taxRate,exemptions/);
    assert.equal(rows.length, 41);
    assert.equal(rows.filter((row) => row.includes(",done,")).length, 40);
    assert.equal(rows.filter((row) => /^0000000000,.*,absent,/.test(row)).length, 1);
    assert.match(output, /1 scraper · 1 case/);
    assert.match(output, /stored file bill +application\/pdf/);
    rmSync(folder, { recursive: true, force: true });
  },
);
