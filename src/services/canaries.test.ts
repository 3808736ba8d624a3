import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openStorage } from "../compose.ts";
import { isOfCanary } from "../domain/job-version.ts";
import { createJob } from "../pipeline/submit.ts";
import type { ClaimedItem } from "../ports/ledger.ts";
import { DONE, SimWorker } from "../ports/ledger-suite/sim-worker.ts";
import { packBundle } from "../scrapers/bundle.ts";
import { loadScraper } from "../scrapers/load-scraper.ts";
import { makeBundle } from "../scrapers/make-bundle.ts";
import { canariesToDo, canaryOf, endCanary, finishCanary, judgeNews, startCanary } from "./canaries.ts";
import { deployScraper } from "./deployments.ts";
import { openCatalog } from "./scraper-catalog.ts";
import { activateVersion, listVersions, showVersion } from "./versions.ts";

const code = (fields: string): string => `import { defineScraper, field } from "sluice-jobs";
import { z } from "zod";
export default defineScraper({
  name: "county",
  input: z.object({ n: z.string() }),
  key: ({ n }) => n,
  pace: { perSecond: Infinity, concurrency: 10_000 },
  collect: async () => undefined,
  extract: { fields: { ${fields} } },
});
`;

const GOOD = [1, 0, 0, 0];
const MISSING = [0, 0, 1, 0];

/** A scraper with an active version, a canary with a share of one half, and a job of the items `0`, `1`, …. */
const openCanary = async (t: TestContext, items: number, tolerance = 0.01) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-canaries-"));
  const { ledger, blobs, location } = await openStorage(folder);
  t.after(async () => {
    await ledger.close();
    await rm(folder, { recursive: true, force: true });
  });
  const scrapers = openCatalog(undefined, { blobs, documents: ledger.documents });
  const context = { ledger, blobs, location, scrapers, now: Date.now, laneOf: () => "example.org" };
  const file = join(folder, "county.ts");
  const deploy = async (fields: string): Promise<string> => {
    await writeFile(file, code(fields));
    const bundle = packBundle(await makeBundle(await loadScraper(file)));
    return (await deployScraper(context, { name: "county", bundle, by: "test" })).version;
  };
  const own = { scraper: "county", by: "test" };
  const active = await deploy(`owner: field.text("b")`);
  await activateVersion(context, { ...own, version: active });
  const version = await deploy(`owner: field.text("i")`);
  await startCanary(context, { ...own, version, share: 0.5, tolerance });
  const ready = await scrapers.find("county");
  const canary = await canaryOf(context, ready, items);
  await createJob(ledger, { job: "job", client: "local", ready, canaryOf: (spec) => canary!(spec) });
  const planned = Array.from({ length: items }, (_, n) => ({
    key: `${n}`,
    input: "{}",
    lane: "example.org",
  }));
  await ledger.addItems("job", planned, []);
  await ledger.sealJob("job");
  const worker = new SimWorker("w", ledger, Date.now);
  const pins = (await ledger.readJob("job"))!.spec.canary!;
  const isCanary = ({ key }: ClaimedItem): boolean => isOfCanary(pins, key);
  /** As a worker that runs the canary's items with the canary. */
  const settle = async (some: readonly ClaimedItem[], ofCanary: readonly number[]): Promise<void> => {
    const [theirs, others] = [some.filter(isCanary), some.filter((item) => !isCanary(item))];
    await worker.settle(theirs, DONE, { fieldCounts: ofCanary, revision: 1 });
    await worker.settle(others, DONE, { fieldCounts: GOOD, revision: 0 });
  };
  const judge = async (): Promise<void> => {
    for (const [scraper, of] of await canariesToDo(context)) await judgeNews(context, scraper, of, () => 0.5);
  };
  const read: string[] = [];
  const finish = async (): Promise<void> => {
    for (const [scraper, of] of await canariesToDo(context))
      await finishCanary(context, scraper, of, async (job) => void read.push(job));
  };
  return { context, active, version, own, worker, settle, isCanary, judge, finish, read };
};

test("a field that is missing in the canary rolls it back; its jobs change, and are read again, also for items that end late", async (t) => {
  const { context, active, version, worker, settle, isCanary, judge, finish, read } = await openCanary(t, 60);
  const { ledger } = context;
  const items = await worker.take(60);
  const late = items.findLast(isCanary)!;
  const first = items.filter((item) => item !== late).slice(0, 40);
  await settle(first, MISSING);
  await judge();
  const told = await showVersion(context, "county", version);
  assert.deepEqual([told.canary?.state, told.canary?.unread, told.pointers], ["rolled-back", ["job"], []]);
  assert.match(
    told.canary?.reason ?? "",
    /^owner was bad in (\d+) of \1 items of the canary, and in 0 of \d+ of the others$/,
  );
  const [event] = await ledger.events.read({ types: ["canary.rolled-back"], limit: 10 });
  assert.deepEqual([event?.facts["scraper"], event?.facts["version"]], ["county", version]);
  await finish();
  assert.deepEqual(read, ["job"]);
  const { spec } = (await ledger.readJob("job"))!;
  assert.deepEqual([spec.canary, spec.version, spec.earlier], [undefined, active, [[active], [version]]]);
  assert.deepEqual(await canariesToDo(context), []);

  await worker.settle([late], DONE, { fieldCounts: MISSING, revision: 1 });
  await judge();
  await finish();
  assert.deepEqual(read, ["job", "job"]);
  assert.deepEqual(await canariesToDo(context), []);
  assert.equal((await listVersions(context, "county")).active, active);
});

test("a canary that is not worse is promoted, and becomes the version of its job", async (t) => {
  // With so few items only a large tolerance can be met.
  const { context, active, version, worker, settle, judge, finish, read } = await openCanary(t, 60, 0.4);
  await settle((await worker.take(60)).slice(0, 50), GOOD);
  await judge();
  await finish();
  const { active: now, previous, canary } = await listVersions(context, "county");
  assert.deepEqual([now, previous, canary], [version, active, undefined]);
  assert.equal((await context.ledger.readJob("job"))!.spec.version, version);
  assert.deepEqual(read, [], "what it has read stays");
  assert.equal((await context.scrapers.find("county")).version, version);
  const types = (await context.ledger.events.read({ limit: 100 })).map(({ type }) => type);
  assert.deepEqual(
    types.filter((type) => /^(canary|version)/.test(type)),
    ["version.activated", "canary.promoted", "version.activated"],
  );
});

test("a person may end a canary, whatever the test says", async (t) => {
  const { context, active, version, own, judge, finish } = await openCanary(t, 4);
  await assert.rejects(startCanary(context, { ...own, version: active }), /active version already/);
  const ended = await endCanary(context, { ...own, to: "roll-back", reason: "not this week" });
  assert.deepEqual([ended.canary?.state, ended.canary?.reason], ["rolled-back", "not this week"]);
  await judge();
  await finish();
  assert.equal((await context.ledger.readJob("job"))!.spec.canary, undefined);
  await assert.rejects(endCanary(context, { ...own, to: "promote" }), /no canary/);
  await startCanary(context, { ...own, version });
  assert.equal((await endCanary(context, { ...own, to: "promote" })).activations.at(-1)?.how, "promoted");
});
