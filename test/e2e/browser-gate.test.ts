import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { REQUEST_KINDS } from "../../examples/county/app/request-kinds.ts";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { openStorage } from "../../src/compose.ts";
import { browserOrSkip } from "../browser.ts";
import { assertPace } from "./chaos/assert-pace.ts";
import { readLines, startSite } from "./county-process.ts";
import { ROOT, sluice } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-gate-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** On a busy machine, the site sees at once what came one by one. */
const SEEN_LATE_MS = 3000;
const TABS = 8;

interface Arrival {
  readonly at: number;
  readonly host: string;
  readonly path: string;
}

/** The lines of the site's log that spend slots, in a file of their own. */
const spendersOf = (log: string, isFree: (path: string) => boolean): string => {
  const spenders = readLines<Arrival>(log).filter(({ path }) => !isFree(path));
  const file = `${log}.spent`;
  writeFileSync(file, spenders.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return file;
};

test("with eight tabs, requests that spend slots keep the lane's rate, and cacheable files are fetched once by each context", async (t) => {
  if (!(await browserOrSkip(t))) return;
  const log = join(folder, "pace.jsonl");
  const data = join(folder, "pace");
  const input = join(folder, "pace.csv");
  const perSecond = 15;
  writeFileSync(input, [...parcelsCsv(50)].join(""));
  const scraper = join(folder, "paced.scraper.ts");
  writeFileSync(
    scraper,
    `import county from ${JSON.stringify(join(ROOT, "examples/county/county-browser.scraper.ts"))};
export default { ...county, pace: { perSecond: ${perSecond}, burst: 1, concurrency: ${TABS} }, limits: { ...county.limits, requestMs: 60_000 } };
`,
  );
  {
    await using site = await startSite(["--parcels", "50", "--scripted", "--log", log]);
    const { code, stderr } = await sluice(["run", scraper, "--input", input, "--data", data], {
      COUNTY_URL: site.url,
      SLUICE_BROWSER_TABS: `${TABS}`,
    });
    assert.equal(code, 0, stderr);
  }
  const isAsset = (path: string): boolean => path.startsWith("/assets/");
  const { requests } = assertPace(spendersOf(log, isAsset), { perSecond, burst: 1 }, SEEN_LATE_MS);
  await using storage = await openStorage(data);
  const [job] = await storage.ledger.listJobs();
  const robots = readLines<Arrival>(log).filter(({ path }) => path === "/robots.txt").length;
  assert.equal(job?.requests, requests - robots, "every request that spends a slot is counted, and no other");

  const fetched = readLines<Arrival>(log).map(({ path }) => path);
  for (const asset of ["/assets/library.js", "/assets/app.js", "/assets/app.css"]) {
    const times = fetched.filter((path) => path === asset).length;
    // A tab that a busy machine cannot wipe in time is replaced.
    assert.ok(times >= 1 && times <= 2 * TABS, `${asset} was fetched ${times} times in ${TABS} tabs`);
  }
  assert.ok(!fetched.some((path) => path.endsWith(".png")), "no pictures");
});

test("16 of the 17 kinds of requests pass the gate at its rate, and the WebSocket does not leave", async (t) => {
  if (!(await browserOrSkip(t))) return;
  const log = join(folder, "kinds.jsonl");
  const input = join(folder, "kinds.csv");
  const perSecond = 4;
  writeFileSync(input, "page\n/kinds/document\n");
  const scraper = join(folder, "kinds.scraper.ts");
  const seen = REQUEST_KINDS.filter((kind) => kind !== "websocket");
  writeFileSync(
    scraper,
    `import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { defineScraper } from "sluice-jobs";
import { z } from "zod";
const arrived = () => readFileSync(${JSON.stringify(log)}, "utf8");
export default defineScraper({
  name: "kinds",
  kind: "browser",
  site: process.env["COUNTY_URL"],
  input: z.object({ page: z.string() }),
  browser: { load: ["image", "font"], hosts: ["127.0.0.2"] },
  pace: { perSecond: ${perSecond}, burst: 1, concurrency: 1 },
  limits: { requestMs: 60_000 },
  async collect({ input, page, signal }) {
    await page.goto(input.page);
    // The site's own log says when everything has come.
    while (!${JSON.stringify(seen)}.every((kind) => arrived().includes("/kinds/" + kind + '"'))) await delay(100, undefined, { signal });
    await page.keep("page");
  },
});
`,
  );
  {
    await using site = await startSite(["--hosts", "2", "--scripted", "--log", log]);
    const data = join(folder, "kinds");
    const { code, stderr } = await sluice(["run", scraper, "--input", input, "--data", data], {
      COUNTY_URL: site.url,
    });
    assert.equal(code, 0, stderr);
  }
  const FREE = /\/assets\/|\/kinds\/(?:script|style|image|font)$|\/kinds-script\//;
  const kinds = readLines<Arrival>(log).flatMap(({ path }) => /^\/kinds\/(.+)$/.exec(path)?.[1] ?? []);
  assert.deepEqual([...new Set(kinds)].sort(), [...seen].sort());
  const { requests } = assertPace(
    spendersOf(log, (path) => FREE.test(path)),
    { perSecond, burst: 1 },
    SEEN_LATE_MS,
  );
  assert.ok(requests > 12, `${requests} requests kept the rate`);
});
