import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { fixtureStatus } from "./test-fixtures.ts";
import { writeFixture } from "./capture-case.ts";

/** A scraper of the text in `<b>`, with a fixture for each value that is expected of `<b>A</b>`. */
const put = (t: TestContext, extract: string, expected: readonly string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-status-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "own.scraper.ts");
  writeFileSync(
    file,
    `import { defineScraper, field } from "sluice";
     import { z } from "zod";
     export default defineScraper({ name: "own", input: z.object({ url: z.string() }), async collect() {}, extract: ${extract} });`,
  );
  const url = "https://site.example/";
  const page = { name: "p", url, status: 200, mediaType: "text/html", text: "<b>A</b>" };
  const head = { scraper: "own", input: {}, key: "1", capturedAt: "", outcome: "done" } as const;
  mkdirSync(join(folder, "fixtures"));
  for (const [at, value] of expected.entries())
    writeFixture(
      join(folder, `fixtures/case-${at}`),
      { ...head, pages: [page] },
      { records: [{ from: "p", quality: "complete", fields: { b: { status: "present", value } } }] },
    );
  return pathToFileURL(file).href;
};

const READS_B = '{ fields: { b: field.text("b") } }';

test("a scraper's cases are counted, and those that are not as expected are named", async (t) => {
  assert.deepEqual(await fixtureStatus(put(t, READS_B, ["A", "B", "A"])), {
    cases: 3,
    passed: 2,
    failed: ["case-1"],
  });
});

test("a scraper without fixtures, and one that is built in, have none to fail", async (t) => {
  const none = { cases: 0, passed: 0, failed: [] };
  assert.deepEqual(await fixtureStatus(put(t, READS_B, [])), none);
  assert.deepEqual(await fixtureStatus("page"), none);
});

test("a scraper that ends its thread says why there is nothing to tell", async (t) => {
  const { cases, problem } = await fixtureStatus(put(t, "() => process.exit(7)", ["A"]));
  assert.deepEqual([cases, typeof problem], [0, "string"]);
});
