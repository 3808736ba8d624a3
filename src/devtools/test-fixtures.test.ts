// own process: starts threads and a process
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { writeFixture } from "./capture-case.ts";
import { fixtureStatus, type ScraperResult, testFixtures } from "./test-fixtures.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-threads-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const EXPECTED = { status: "present", value: "A" } as const;

/** A scraper with one fixture, in a folder of its own. */
const put = (name: string, extract: string, expected = EXPECTED): string => {
  const own = join(folder, name);
  mkdirSync(own);
  const file = join(own, `${name}.scraper.ts`);
  writeFileSync(
    file,
    `import { defineScraper, field } from "sluice";
     import { z } from "zod";
     import "./beside.ts";
     export default defineScraper({ name: "${name}", input: z.object({ url: z.string() }), async collect() {}, extract: ${extract} });`,
  );
  writeFileSync(join(own, "beside.ts"), `console.log("hello from ${name}");\n`);
  const page = {
    name: "p",
    url: "https://site.example/",
    status: 200,
    mediaType: "text/html",
    text: "<b>A</b>",
  };
  const head = { scraper: name, input: {}, key: "1", capturedAt: "", outcome: "done" } as const;
  writeFixture(
    join(own, "fixtures/one"),
    { ...head, pages: [page] },
    {
      records: [{ from: "p", quality: "complete", fields: { b: expected } }],
    },
  );
  return file;
};
const all = async (options: Parameters<typeof testFixtures>[0]): Promise<ScraperResult[]> =>
  await Array.fromAsync(testFixtures(options));

const right = put("right", '{ fields: { b: field.text("b") } }');
const other = put("other", '{ fields: { b: field.text("i") } }');
const looping = put("looping", "() => { for (;;); }");
const leaving = put("leaving", "() => process.exit(7)");

test("results come in the given order, whichever is done first", async () => {
  const results = await all({ files: [other, right], threads: 2 });
  assert.deepEqual(
    results.map(({ scraper, cases }) => [
      scraper,
      cases[0]?.checked,
      cases[0]?.findings.map(({ difference }) => difference.what),
    ]),
    [
      ["other", 1, ["failure", "field"]],
      ["right", 1, []],
    ],
  );
});

test("an endless loop, or a scraper that ends its thread, does not affect the others", async () => {
  const results = await all({ files: [looping, leaving, right], threads: 1, limitMs: 3000 });
  assert.deepEqual(
    results.map(({ problem }) => problem !== undefined),
    [true, true, false],
  );
  assert.equal(results[2]?.cases.length, 1);
});

test("command-line options of the program do not reach the threads", () => {
  const module = new URL("./test-fixtures.ts", import.meta.url).href;
  const code = `import { testFixtures } from ${JSON.stringify(module)};
    for await (const { cases } of testFixtures({ files: [${JSON.stringify(right)}] })) console.log("cases", cases.length);`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
  assert.match(stdout, /cases 1/);
});

test("a scraper's output is passed on, and its source files are reported", async () => {
  let output = "";
  const [result] = await all({ files: [right], onOutput: (text) => (output += text) });
  assert.match(output, /hello from right/);
  assert.ok(result?.sources.includes(join(folder, "right", "beside.ts")));
});

/** A scraper of the text in `<b>`, with a fixture for each value that is expected of `<b>A</b>`. */
const putScraper = (t: TestContext, extract: string, expected: readonly string[]): string => {
  const own = mkdtempSync(join(tmpdir(), "sluice-status-"));
  t.after(() => rmSync(own, { recursive: true, force: true }));
  const file = join(own, "own.scraper.ts");
  writeFileSync(
    file,
    `import { defineScraper, field } from "sluice";
     import { z } from "zod";
     export default defineScraper({ name: "own", input: z.object({ url: z.string() }), async collect() {}, extract: ${extract} });`,
  );
  const url = "https://site.example/";
  const page = { name: "p", url, status: 200, mediaType: "text/html", text: "<b>A</b>" };
  const head = { scraper: "own", input: {}, key: "1", capturedAt: "", outcome: "done" } as const;
  mkdirSync(join(own, "fixtures"));
  for (const [at, value] of expected.entries())
    writeFixture(
      join(own, `fixtures/case-${at}`),
      { ...head, pages: [page] },
      { records: [{ from: "p", quality: "complete", fields: { b: { status: "present", value } } }] },
    );
  return pathToFileURL(file).href;
};

const READS_B = '{ fields: { b: field.text("b") } }';

test("a scraper's cases are counted, and failed ones are named", async (t) => {
  assert.deepEqual(await fixtureStatus(putScraper(t, READS_B, ["A", "B", "A"])), {
    cases: 3,
    passed: 2,
    failed: ["case-1"],
  });
});

test("a scraper without fixtures, and a built-in, have no failed cases", async (t) => {
  const none = { cases: 0, passed: 0, failed: [] };
  assert.deepEqual(await fixtureStatus(putScraper(t, READS_B, [])), none);
  assert.deepEqual(await fixtureStatus("page"), none);
});

test("a scraper that ends its thread has a problem instead of cases", async (t) => {
  const { cases, problem } = await fixtureStatus(putScraper(t, "() => process.exit(7)", ["A"]));
  assert.deepEqual([cases, typeof problem], [0, "string"]);
});
