import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { JobView } from "../domain/job.ts";
import { OwnTroubleError } from "../domain/failure.ts";
import { loadScraper } from "../scrapers/load-scraper.ts";
import { ownLoader } from "./find-scrapers.ts";

const SCRAPER = `
  import { defineScraper } from "sluice";
  import { z } from "zod";
  export default defineScraper({
    name: "town",
    site: "https://a.test",
    input: z.object({ n: z.string() }),
    key: ({ n }) => n,
    pace: { perSecond: 1 },
    collect: async () => {},
  });`;

test("a job's scraper is found by name in the project of this machine; a missing one is a local problem", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-own-loader-"));
  const before = process.cwd();
  t.after(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });
  mkdirSync(join(folder, "scrapers"));
  writeFileSync(join(folder, "sluice.config.ts"), "export default {};");
  const file = join(folder, "scrapers/town.scraper.ts");
  writeFileSync(file, SCRAPER);
  process.chdir(folder);
  const { version } = await loadScraper(file);
  const source = pathToFileURL("/srv/controller/scrapers/town.scraper.ts").href;
  const jobOf = (scraper: string, pinned: string): JobView => {
    const spec = {
      id: scraper,
      source,
      scraper,
      extracts: true,
      scrapers: [{ name: scraper, source, version: pinned }],
    };
    return { spec } as unknown as JobView;
  };
  const load = (view: JobView) =>
    ownLoader({ readJob: async () => view })({ job: "job", revision: 0, key: "a" });

  const { scrapers } = await load(jobOf("town", version));
  assert.equal(scrapers[0]!.ready.scraper.name, "town");
  for (const [view, code] of [
    [jobOf("town", "another"), "changed-scraper"],
    [jobOf("village", version), "unknown-scraper"],
  ] as const)
    await assert.rejects(
      () => load(view),
      (error) => error instanceof OwnTroubleError && error.code === code,
    );
});
