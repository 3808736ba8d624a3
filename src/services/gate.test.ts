// e2e: reads hundreds of stored pages in threads
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { openStoredJob, type StoredJob } from "../reextract/testing/stored-job.ts";
import { packBundle } from "../scrapers/bundle.ts";
import { loadScraper } from "../scrapers/load-scraper.ts";
import { makeBundle } from "../scrapers/make-bundle.ts";
import { deployScraper } from "./deployments.ts";
import { Problem } from "./problem.ts";
import { openCatalog } from "./scraper-catalog.ts";
import { activateVersion, listVersions, rollBackVersion } from "./versions.ts";

const PAGES = 500;
const EXTRACT = `extract: { from: "page", fields: {
  owner: field.text(".owner"), address: field.text(".address"), sold: field.date(".sold"), tax: field.money(".tax").optional(),
} }`;

const html = (n: number): string => {
  const sold = new Date(Date.UTC(2020, 0, 1 + n)).toISOString().slice(0, 10);
  // Ten pages are of an older layout.
  const owner = n % 50 === 0 ? `<b class="owner old">Owner ${n}</b>` : `<p class="owner">Owner ${n}</p>`;
  const seen = new Date(Date.UTC(2020, 0, 2 + n)).toISOString().slice(0, 10);
  return `<html><body>${owner}<p class="address">${n} Main St</p><p class="sold">${sold}</p><p class="seen">${seen}</p><p class="tax">$ ${n}.50</p></body></html>`;
};

const openCounty = async (t: TestContext) => {
  const stored: StoredJob = await openStoredJob(
    EXTRACT,
    Array.from({ length: PAGES }, (_, n) => html(n)),
  );
  t.after(() => stored[Symbol.asyncDispose]());
  const { ledger, blobs, location } = stored;
  const scrapers = openCatalog(undefined, { blobs, documents: ledger.documents });
  const context = { ledger, blobs, location, scrapers, now: Date.now, laneOf: () => "example.org" };
  const deploy = async (code: string): Promise<string> => {
    const bundle = packBundle(await makeBundle(await loadScraper(await stored.writeScraper("county", code))));
    return (await deployScraper(context, { name: "county", bundle, by: "test" })).version;
  };
  const activate = async (version: string, accept?: string) =>
    await activateVersion(context, {
      scraper: "county",
      version,
      by: "test",
      ...(accept !== undefined && { accept }),
    });
  await activate(await deploy(EXTRACT));
  return { context, deploy, activate };
};

test("the gate refuses a version that loses values or lists what it changes, and lets pass what only looks different", async (t) => {
  const { context, deploy, activate } = await openCounty(t);
  const first = (await listVersions(context, "county")).active;

  const style = await deploy(`// the same\n${EXTRACT.replaceAll('"', "'").replaceAll(",\n", " ,\n\n")}`);
  const { gate } = await activate(style);
  assert.deepEqual([gate.isRefused, gate.pages.items, gate.against], [false, PAGES, first]);
  assert.ok(gate.fields.every(({ lost, gained, changed }) => lost + gained + changed === 0));

  // 2 % of the pages lose one field.
  const loses = await deploy(EXTRACT.replace(`".owner"`, `"p.owner"`));
  await assert.rejects(
    activate(loses),
    (error) =>
      error instanceof Problem &&
      error.code === "version-refused" &&
      /owner: 10 values lost/.test(error.message),
  );
  assert.equal((await listVersions(context, "county")).active, style);
  const events = await context.ledger.events.read({ types: ["version.refused"], limit: 10 });
  assert.deepEqual(
    events.map(({ facts }) => [facts["scraper"], facts["version"]]),
    [["county", loses]],
  );

  const swapped = EXTRACT.replace(
    `owner: field.text(".owner"), address: field.text(".address")`,
    `owner: field.text(".address"), address: field.text(".owner")`,
  );
  const swap = (await activate(await deploy(swapped))).gate;
  const groups = (name: string) => swap.fields.find((field) => field.name === name)?.groups;
  assert.deepEqual(
    [groups("owner"), groups("address")].map((all) => all?.map(({ change, count }) => [change, count])),
    [[["has the value of address", PAGES]], [["has the value of owner", PAGES]]],
  );
  assert.equal(groups("owner")?.[0]?.examples.length, 5);

  const shifted = swapped.replace(`field.date(".sold")`, `field.date(".seen")`);
  const later = (await activate(await deploy(shifted))).gate;
  assert.deepEqual(
    later.fields.find(({ name }) => name === "sold")?.groups.map(({ change, count }) => [change, count]),
    [["1 day later", PAGES]],
  );
});

test("a refused version is activated with a reason, which is stored; rolling back is a pointer", async (t) => {
  const { context, deploy, activate } = await openCounty(t);
  const first = (await listVersions(context, "county")).active!;
  const loses = await deploy(EXTRACT.replace(`".owner"`, `"p.owner"`));
  await activate(loses, "the old layout is gone");
  const { active, previous, data } = await listVersions(context, "county");
  assert.deepEqual([active, previous], [loses, first]);
  assert.equal(data[0]?.activations[0]?.accepted, "the old layout is gone");
  assert.deepEqual(data[0]?.difference?.files, ["code/county.ts"]);
  assert.equal((await context.scrapers.find("county")).version, loses);
  await rollBackVersion(context, { scraper: "county", by: "test" });
  assert.equal((await context.scrapers.find("county")).version, first);
  assert.equal((await listVersions(context, "county")).previous, loses);

  const collect = await deploy(`headers: { "x-new": "1" },\n${EXTRACT}`);
  await assert.rejects(activate(collect), /headers changed, which stored pages cannot test: start a canary/);
});
