import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { compileScraper } from "./compiled-scraper.ts";
import { loadScraper } from "./load-scraper.ts";
import { makeBundle } from "./make-bundle.ts";
import { type VersionCode, versionDifference, withoutStyle } from "./version-difference.ts";

const code = (options: string): string => `
import { defineScraper, field } from "sluice-jobs";
import { z } from "zod";
export default defineScraper({
  name: "county",
  input: z.object({ n: z.number() }),
  ${options}
});`;

const versionsOf = async (t: TestContext, ...texts: readonly string[]): Promise<VersionCode[]> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-difference-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "county.ts");
  const versions: VersionCode[] = [];
  for (const text of texts) {
    await writeFile(file, code(text));
    const loaded = await loadScraper(file);
    versions.push({ bundle: await makeBundle(loaded), ready: await compileScraper(loaded) });
  }
  return versions;
};

const COLLECT = `collect: async ({ http, input }) => { await http.get("/parcel/" + input.n, { keep: "page" }); },`;

test("a change of `extract` alone is seen on stored pages; files and fields that changed are named", async (t) => {
  const [before, after] = await versionsOf(
    t,
    `${COLLECT} extract: { fields: { owner: field.text("#owner"), tax: field.money("#tax") } },`,
    `${COLLECT} extract: { fields: { owner: field.text(".owner"), sold: field.date("#sold") } },`,
  );
  assert.deepEqual(versionDifference(before!, after!), {
    files: ["code/county.ts"],
    fields: ["+sold", "-tax"],
    unjudged: [],
  });
});

test("a change of `collect`, or of another option that decides what is fetched, is named", async (t) => {
  const [before, other, paced] = await versionsOf(
    t,
    COLLECT,
    COLLECT.replace("/parcel/", "/parcels/"),
    `${COLLECT} headers: { "x-version": "2" },`,
  );
  assert.deepEqual(versionDifference(before!, other!).unjudged, ["collect"]);
  assert.deepEqual(versionDifference(before!, paced!).unjudged, ["headers"]);
});

test("code that was only written in another style is the same", async (t) => {
  const [before, after] = await versionsOf(
    t,
    COLLECT,
    `// gets the page
    collect: async ({http, input,}) => {
      /* one request */
      await http.get('/parcel/' + input.n,
        { keep: 'page', })
    },`,
  );
  assert.deepEqual(versionDifference(before!, after!).unjudged, []);
  assert.equal(withoutStyle("(x) => x + 1;"), withoutStyle("x => x+1"));
  assert.notEqual(withoutStyle(`x => "a b"`), withoutStyle(`x => "ab"`));
});
