import assert from "node:assert/strict";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readLines } from "./county-process.ts";
import { LoopbackSite } from "./loopback-site.ts";
import { sluice } from "./sluice-process.ts";

const ROBOTS = "User-agent: *\nDisallow: /private/\n";
const OPEN = Array.from({ length: 20 }, (_, n) => `/open/${n}`);
const PRIVATE = Array.from({ length: 20 }, (_, n) => `/private/${n}`);
const folder = mkdtempSync(join(tmpdir(), "sluice-robots-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const runAll = async (site: LoopbackSite, robots: "obey" | "ignore") => {
  const scraper = join(folder, `${robots}.ts`);
  writeFileSync(
    scraper,
    `import { defineScraper } from "sluice";
     import { z } from "zod";
     export default defineScraper({
       name: "${robots}", input: z.object({ url: z.string() }), robots: "${robots}",
       pace: { perSecond: 500, concurrency: 8 },
       async collect({ input, http, keep }) { keep.page("page", await http.get(input.url)); },
     });`,
  );
  const data = join(folder, robots);
  // Allowed and denied pages alternate, so that both processes get both.
  const paths = OPEN.flatMap((path, n) => [path, PRIVATE[n]!]);
  const input = site.writeUrls(join(folder, `${robots}.txt`), paths);
  const ended = await sluice(["run", scraper, "--input", input, "--data", data, "--processes", "2"]);
  const [manifest] = globSync(join(data, "blobs/jobs/*/manifest.jsonl"));
  const items = readLines<{ key: string; state: string; failure?: { kind: string } }>(manifest!);
  const end = Object.fromEntries(
    items.map(({ key, state, failure }) => [new URL(key).pathname, failure?.kind ?? state]),
  );
  return { ...ended, end };
};

test("pages that robots.txt denies are not requested, and the file is fetched once for all processes", async () => {
  await using site = await LoopbackSite.open(ROBOTS);
  const { code, stderr, end } = await runAll(site, "obey");
  assert.equal(code, 3, stderr);
  assert.deepEqual(site.arrived.toSorted(), OPEN.toSorted());
  assert.equal(site.robotsFetches, 1);
  for (const path of OPEN) assert.equal(end[path], "done");
  for (const path of PRIVATE) assert.equal(end[path], "robots-denied");
  assert.match(stderr, /robots-denied/);
});

test("a scraper that ignores robots.txt does not fetch it", async () => {
  await using site = await LoopbackSite.open(ROBOTS);
  const { code, stderr, end } = await runAll(site, "ignore");
  assert.equal(code, 0, stderr);
  assert.equal(site.arrived.length, OPEN.length + PRIVATE.length);
  assert.equal(site.robotsFetches, 0);
  assert.ok(Object.values(end).every((state) => state === "done"));
});
