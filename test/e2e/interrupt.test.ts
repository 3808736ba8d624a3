import assert from "node:assert/strict";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readLines } from "./county-process.ts";
import { LoopbackSite } from "./loopback-site.ts";
import { sluice, SluiceProcess } from "./sluice-process.ts";

const ITEMS = 100;
const PATHS = Array.from({ length: ITEMS }, (_, n) => `/${n}`);
const folder = mkdtempSync(join(tmpdir(), "sluice-interrupt-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Slow enough to be interrupted. */
const SCRAPER = join(folder, "pages.scraper.ts");
writeFileSync(
  SCRAPER,
  `import { defineScraper } from "sluice";
   import { z } from "zod";
   export default defineScraper({
     name: "pages",
     input: z.object({ url: z.string() }),
     key: ({ url }) => url,
     lane: "pages",
     pace: { perSecond: 25, concurrency: 4 },
     collect: async ({ input, http, keep }) => keep.page("page", await http.get(input.url)),
   });`,
);

/** A data folder, and the command that runs the scraper in it. */
const prepare = (site: LoopbackSite, name: string) => {
  const data = join(folder, name);
  const input = site.writeUrls(join(folder, `${name}.txt`), PATHS);
  return {
    data,
    input,
    run: ["run", SCRAPER, "--input", input, "--data", data, "--processes", "2"],
  };
};

const jobStates = async (data: string): Promise<Record<string, number>> => {
  const { stdout } = await sluice(["jobs", "show", "last", "--json", "--data", data]);
  const { counts } = JSON.parse(stdout) as { counts: { states: Record<string, number> } };
  return counts.states;
};

/** Counts the states in each job's manifest, and checks that each key is there once. */
const manifests = (data: string): Record<string, number>[] =>
  globSync(join(data, "blobs/jobs/*/manifest.jsonl")).map((file) => {
    const items = readLines<{ key: string; state: string }>(file);
    assert.equal(new Set(items.map(({ key }) => key)).size, items.length, "every item once");
    const tally = Object.groupBy(items, ({ state }) => state);
    return Object.fromEntries(Object.entries(tally).map(([state, some]) => [state, some!.length]));
  });

for (const signal of ["SIGINT", "SIGTERM"] as const)
  test(`${signal} ends a run in order, and resume continues it: every page is requested once`, async () => {
    await using site = await LoopbackSite.open();
    const { data, input, run } = prepare(site, signal);
    const started = new SluiceProcess(run);
    await site.arrivals(10);
    // The run must not finish all of them before the signal arrives, however long that takes.
    site.isAnswering = false;
    started.child.kill(signal);
    await started.says(/finishing items in flight/);
    site.isAnswering = true;
    const { code, stderr } = await started.ended;
    assert.equal(code, 5, stderr);
    const { leased, done, queued } = await jobStates(data);
    assert.equal(leased, 0);
    assert.deepEqual([done, done! + queued!], [site.arrived.length, ITEMS]);

    const resumed = await sluice(["resume", "last", "--input", input, "--data", data]);
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.deepEqual(manifests(data), [{ done: ITEMS }]);
    assert.deepEqual(site.arrived.toSorted(), PATHS.toSorted());
  });

test("a second signal ends it at once, and nothing is lost", async () => {
  await using site = await LoopbackSite.open();
  const { data, input, run } = prepare(site, "twice");
  site.isAnswering = false;
  const started = new SluiceProcess(run);
  await site.arrivals(2);
  started.child.kill("SIGINT");
  await started.says(/Interrupt again/);
  started.child.kill("SIGINT");
  const { code, stderr } = await started.ended;
  assert.equal(code, 5, stderr);
  const { leased, done } = await jobStates(data);
  assert.deepEqual([leased, done], [0, 0]);

  site.isAnswering = true;
  const resumed = await sluice(["resume", "last", "--input", input, "--data", data]);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.deepEqual(manifests(data), [{ done: ITEMS }]);
});

test("--limit takes only the first inputs", async () => {
  await using site = await LoopbackSite.open();
  const { data, run } = prepare(site, "limit");
  const { code, stderr } = await sluice([...run, "--limit", "5"]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(manifests(data), [{ done: 5 }]);
  assert.deepEqual(site.arrived.toSorted(), PATHS.slice(0, 5));
});

test("two concurrent runs share one data folder, and both end", async () => {
  await using site = await LoopbackSite.open();
  const { data, run } = prepare(site, "both");
  const both = await Promise.all([sluice(run), sluice(run)]);
  for (const { code, stderr } of both) assert.equal(code, 0, stderr);
  assert.deepEqual(manifests(data), [{ done: ITEMS }, { done: ITEMS }]);
  assert.equal(site.arrived.length, 2 * ITEMS);
});
