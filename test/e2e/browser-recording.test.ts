import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { browserOrSkip } from "../browser.ts";
import { runRecordings } from "./browser/run-recordings.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-recordings-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const PARCELS = 40;

/** `npm run browser-truth -- --only recordings` does the same with 500 parcels. */
test("a recording, and an extension's actions through an adapter, give the records of the HTTP scraper", async (t) => {
  if (!(await browserOrSkip(t))) return;
  const compared = await runRecordings({ folder, parcels: PARCELS, say: (line) => t.diagnostic(line) });
  assert.equal(compared, 2 * PARCELS);
});
