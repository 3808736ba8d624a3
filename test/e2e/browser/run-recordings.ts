import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parcelsCsv } from "../../../examples/county/inputs.ts";
import { readLines, startSite } from "../county-process.ts";
import { assertTruth } from "../county-truth.ts";
import { ROOT, sluice } from "../sluice-process.ts";
import { patientCopy } from "./run-browser-truth.ts";
import { assertSameRecords, recordsIn } from "./same-records.ts";

export interface RecordingsRun {
  /** An empty folder. */
  readonly folder: string;
  readonly parcels: number;
  readonly say: (line: string) => void;
}

/** Parcels that are not there, and every way in which a page can differ from the recorded one. */
const TROUBLES = "absent=6,placeholder=6,malformed=6,rows-gone=6,redirect=6,mention=6,changed=2";

const COUNTY = join(ROOT, "examples/county");
/** Where the recorded site was. */
const RECORDED_AT = "http://127.0.0.1:8700";

/** What is replayed: Chrome's recording, and the actions of an invented extension through an adapter. */
const SOURCES = {
  recording: "county.recording.json",
  extension: "{ file: extension-actions.json, adapter: extension.adapter.json }",
};

/** The same parcels over HTTP, from the recording, and from the extension's actions: every record is the same. */
export const runRecordings = async ({ folder, parcels, say }: RecordingsRun): Promise<number> => {
  const input = join(folder, "input.csv");
  const truth = join(folder, "truth.jsonl");
  writeFileSync(input, [...parcelsCsv(parcels)].join(""));
  const county = ["--parcels", `${parcels}`, "--troubles", TROUBLES, "--scripted", "--truth", truth];
  await using site = await startSite(county);
  const run = async (scraper: string, data: string): Promise<void> => {
    const startedAt = performance.now();
    const { code, stderr } = await sluice(["run", scraper, "--input", input, "--data", data], {
      COUNTY_URL: site.url,
    });
    assert.ok(code === 0 || code === 3, stderr);
    assertTruth(truth, data);
    say(`${scraper}: ${parcels} items in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  };

  const plain = join(folder, "plain.scraper.ts");
  writeFileSync(plain, patientCopy("county", 8_000));
  await run(plain, join(folder, "plain"));
  const expected = await recordsIn(join(folder, "plain"));
  const keys = readLines<{ parcel: string }>(truth).map(({ parcel }) => parcel);

  let compared = 0;
  for (const [name, source] of Object.entries(SOURCES)) {
    const project = join(folder, name);
    mkdirSync(project);
    for (const file of ["county.recording.json", "extension-actions.json", "extension.adapter.json"])
      writeFileSync(join(project, file), exampleText(file).replaceAll(RECORDED_AT, site.url));
    const scraper = join(project, "recorded.scraper.yaml");
    writeFileSync(
      scraper,
      exampleText("county-recorded.scraper.yaml")
        .replace(RECORDED_AT, site.url)
        .replace("requestMs: 8000", "requestMs: 30000")
        .replace(/^recording: .*$/m, `recording: ${source}`),
    );
    await run(scraper, join(project, "data"));
    compared += assertSameRecords(await recordsIn(join(project, "data")), expected, keys);
  }
  return compared;
};

const exampleText = (file: string): string => readFileSync(join(COUNTY, file), "utf8");
