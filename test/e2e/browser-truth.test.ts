import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { TROUBLE_NAMES } from "../../examples/county/troubles.ts";
import { browserOrSkip } from "../browser.ts";
import { runBrowserTruth, someOfEach } from "./browser/run-browser-truth.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-browser-truth-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Large enough that every trouble occurs; only some of its parcels are asked for. */
const COUNTY = 6000;

/** `node bench/browser-truth.ts` does the same with 2,000 parcels. */
test("with all troubles on, every item of a browser scraper has the correct result", async (t) => {
  if (!(await browserOrSkip(t))) return;
  const { items } = await runBrowserTruth({
    folder: mkdtempSync(join(folder, "calm-")),
    parcels: COUNTY,
    choose: someOfEach(1, 4),
    killBrowsers: 0,
    killWorkers: 0,
    say: (line) => t.diagnostic(line),
  });
  assert.equal(items, TROUBLE_NAMES.length + 4);
});

test("the same while browsers and workers are killed, and nothing is left behind", async (t) => {
  if (!(await browserOrSkip(t))) return;
  const figures = await runBrowserTruth({
    folder: mkdtempSync(join(folder, "killed-")),
    parcels: COUNTY,
    choose: someOfEach(1, 15),
    killBrowsers: 3,
    killWorkers: 2,
    say: (line) => t.diagnostic(line),
  });
  assert.deepEqual([figures.browsersKilled, figures.workersKilled], [3, 2]);
});
