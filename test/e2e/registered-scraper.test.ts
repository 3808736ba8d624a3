/** A scraper that a client registers over the API, from its registration to its records. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parse } from "yaml";
import { truthOf } from "../../examples/county/truth.ts";
import { DEFAULT_SEED } from "../../examples/county/parcels.ts";
import { browserOrSkip } from "../browser.ts";
import { startSite } from "./county-process.ts";
import { Service } from "./service-process.ts";
import { ROOT } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-registered-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const PARCELS = 3;

/** The example without what only operators decide, with its recording in it. */
const declared = (site: string): Record<string, unknown> => {
  const text = (file: string): string =>
    readFileSync(join(ROOT, "examples/county", file), "utf8").replaceAll("http://127.0.0.1:8700", site);
  const {
    name: _name,
    pace: _pace,
    limits: _limits,
    failures: _failures,
    ...rest
  } = parse(text("county-recorded.scraper.yaml")) as Record<string, unknown>;
  return { ...rest, input: { parcel: "string" }, recording: JSON.parse(text("county.recording.json")) };
};

test("a registered scraper brings records, and reaches the owner's network only where the owner allows it", async (t) => {
  if (!(await browserOrSkip(t))) return;
  await using site = await startSite(["--parcels", `${PARCELS}`, "--scripted"]);
  const truths = [...truthOf({ seed: DEFAULT_SEED, parcels: PARCELS, troubles: {}, scripted: true })];
  const inputs = [...truths.map(({ parcel }) => ({ parcel })), { parcel: "0000000000" }];
  for (const isAllowed of [true, false]) {
    await using service = new Service(mkdtempSync(join(folder, "service-")));
    if (isAllowed) service.configure({ allowTargets: ["127.0.0.1"] });
    const client = await service.serve("--workers", "1");
    const { kind, owner } = await client.registerScraper("default.county", declared(site.url));
    assert.deepEqual([kind, owner], ["recording", "default"]);
    const { job } = await client.createJob({ scraper: "default.county", inputs });
    await service.until(job.id, ({ state }) => state === "done" || state === "paused");
    const { data } = await client.listItems(job.id);
    const ended = Object.fromEntries(data.map(({ key, state, failure }) => [key, failure?.kind ?? state]));
    const expected = inputs.map(({ parcel }, at) => [
      parcel,
      isAllowed ? (at < PARCELS ? "done" : "absent") : "forbidden-target",
    ]);
    assert.deepEqual(ended, Object.fromEntries(expected));
  }
});
