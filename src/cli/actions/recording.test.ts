import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { loadScraper } from "../../scrapers/load-scraper.ts";
import { readRecording } from "../../recordings/read-recording.ts";
import { checkCommand, importCommand } from "./recording.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-recording-"));
after(() => rmSync(folder, { recursive: true }));

const source = join(folder, "search.json");
writeFileSync(
  source,
  JSON.stringify({
    title: "Search",
    steps: [
      { type: "navigate", url: "https://county.example/parcel?id=0012345678" },
      { type: "click", selectors: ["#go"] },
    ],
  }),
);

test("import --scraper writes a scraper that loads, and its recording beside it", async () => {
  const output = join(folder, "county.scraper.yaml");
  const options = { scraper: "county", output, bind: { parcel: "0012345678" }, force: false };
  assert.equal(await importCommand(source, options), 0);
  const { scraper } = await loadScraper(output);
  assert.equal(scraper.name, "county");
  assert.equal(scraper.key?.({ parcel: "0012345678" }), "0012345678");
  const kept = readRecording(readFileSync(join(folder, "county.recording.json"), "utf8"));
  assert.deepEqual(kept, readRecording(readFileSync(source, "utf8")), "as it was recorded");
  await assert.rejects(importCommand(source, options), {
    name: "UsageError",
    message: /this file exists.*--force/,
  });
  assert.equal(await importCommand(source, { ...options, force: true }), 0);
});

test("import writes JSON that Chrome can open, with the inputs in it", async () => {
  const output = join(folder, "bound.json");
  await importCommand(source, { output, bind: { parcel: "0012345678" }, force: false });
  assert.match(readFileSync(output, "utf8"), /"url": "https:\/\/county\.example\/parcel\?id=\{\{parcel\}\}"/);
});

test("errors name the file and what to do", async () => {
  const refuses = async (work: Promise<unknown>, name: string, message: RegExp): Promise<void> =>
    assert.rejects(work, { name, message });
  await refuses(
    importCommand(source, { scraper: "county2", force: false }),
    "UsageError",
    /search\.json: the recording has no inputs\. .*--bind NAME=0012345678/,
  );
  await refuses(
    importCommand(source, { scraper: "No", force: false }),
    "UsageError",
    /not a valid scraper name/,
  );
  await refuses(
    importCommand(source, { bind: { parcel: "7" }, force: false }),
    "RecordingError",
    /search\.json: `bind\.parcel` is "7"/,
  );
  await refuses(checkCommand(join(folder, "none.json"), { json: false }), "UsageError", /cannot be read/);
  const broken = join(folder, "broken.json");
  writeFileSync(broken, "{");
  await refuses(
    checkCommand(broken, { json: false }),
    "RecordingError",
    /broken\.json: This is not valid JSON/,
  );
  await refuses(
    checkCommand(source, { adapter: source, json: false }),
    "RecordingError",
    /search\.json: An adapter needs `steps` and `type`/,
  );
});
