import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { laneOf, openStorage } from "../../src/compose.ts";
import { createJob } from "../../src/pipeline/submit.ts";
import { loadScraper } from "../../src/scrapers/load-scraper.ts";
import { compileScraper } from "../../src/scrapers/compiled-scraper.ts";
import { LoopbackSite } from "./loopback-site.ts";
import { sluice } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-limit-"));
after(() => rmSync(folder, { recursive: true, force: true }));

async function* nothing() {}

test("a job that was killed while reading inputs keeps its limit when it continues", async () => {
  await using site = await LoopbackSite.open();
  const input = site.writeUrls(join(folder, "urls.txt"), ["/0", "/1", "/2", "/3", "/4"]);
  const data = join(folder, "data");
  {
    await using storage = await openStorage(data);
    const ready = await compileScraper(await loadScraper("page"));
    const submission = { job: "killed", client: "local", ready, inputs: nothing(), laneOf, limit: 3 };
    await createJob(storage.ledger, submission);
  }
  const { code, stderr } = await sluice(["resume", "killed", "--input", input, "--data", data]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(site.arrived.toSorted(), ["/0", "/1", "/2"]);
});
