/** Scrapers without code, on the scripted county: the records are those of the HTTP scraper on the plain pages. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { DEFAULT_SEED } from "../../examples/county/parcels.ts";
import { parseTroubles } from "../../examples/county/troubles.ts";
import { truthOf } from "../../examples/county/truth.ts";
import { browserOrSkip } from "../browser.ts";
import { assertSameRecords, recordsIn } from "./browser/same-records.ts";
import { patientCounty, startSite } from "./county-process.ts";
import { assertTruth } from "./county-truth.ts";
import { ROOT, sluice } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-recorded-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** `RECORDED_PARCELS=500` for a longer run. */
const PARCELS = Number(process.env["RECORDED_PARCELS"] ?? 40);
const TROUBLES = "absent=10";
const FILES = [
  "county-recorded.scraper.yaml",
  "county-extension.scraper.yaml",
  "county.recording.json",
  "extension-actions.json",
  "field-notes.adapter.json",
];

const compare = async (t: TestContext, name: string): Promise<void> => {
  if (!(await browserOrSkip(t))) return;
  const place = mkdtempSync(join(folder, `${name}-`));
  const population = { seed: DEFAULT_SEED, parcels: PARCELS, troubles: parseTroubles(TROUBLES) };
  const truths = [...truthOf({ ...population, scripted: true })];
  const absent = truths.filter(({ state }) => state === "absent").length;
  assert.ok(absent > 0, "some parcels are absent");
  const [input, truth, data, plainData] = ["input.csv", "truth.jsonl", "data", "plain"].map((file) =>
    join(place, file),
  ) as [string, string, string, string];
  writeFileSync(input, ["parcel", ...truths.map(({ parcel }) => parcel), ""].join("\n"));
  writeFileSync(truth, truths.map((one) => `${JSON.stringify(one)}\n`).join(""));

  await using site = await startSite(["--parcels", `${PARCELS}`, "--troubles", TROUBLES, "--scripted"]);
  for (const file of FILES) {
    const text = readFileSync(join(ROOT, "examples/county", file), "utf8");
    // More time for a busy machine.
    writeFileSync(
      join(place, file),
      text.replaceAll("http://127.0.0.1:8700", site.url).replace("requestMs: 8000", "requestMs: 15000"),
    );
  }
  const run = await sluice([
    "run",
    join(place, `${name}.scraper.yaml`),
    "--input",
    input,
    "--data",
    data,
    "--processes",
    "2",
  ]);
  assert.equal(run.code, 0, run.stderr);
  assertTruth(truth, data);
  const plain = join(place, "plain.scraper.ts");
  writeFileSync(plain, patientCounty());
  const { code, stderr } = await sluice(["run", plain, "--input", input, "--data", plainData], {
    COUNTY_URL: site.url,
  });
  assert.equal(code, 0, stderr);
  const keys = truths.filter(({ state }) => state === "done").map(({ parcel }) => parcel);
  assert.equal(assertSameRecords(await recordsIn(data), await recordsIn(plainData), keys), PARCELS - absent);
  t.diagnostic(`${PARCELS} parcels, ${absent} of them absent`);
};

test("a recording of Chrome with a placeholder brings the same records", (t) =>
  compare(t, "county-recorded"));

test("so do the actions of an extension, through an adapter", (t) => compare(t, "county-extension"));
