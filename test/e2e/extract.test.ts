import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { startSite } from "./county-process.ts";
import { LoopbackSite } from "./loopback-site.ts";
import { COUNTY_SCRAPER, sluice, SluiceProcess } from "./sluice-process.ts";

const PARCELS = 300;
const folder = mkdtempSync(join(tmpdir(), "sluice-extract-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A copy of the county's scraper that a test can change. */
const scraper = join(folder, "county.scraper.ts");
const original = readFileSync(COUNTY_SCRAPER, "utf8");
const data = join(folder, "data");

interface End {
  readonly id: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly difference: {
    readonly changedItems: number;
    readonly fields: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
}

const lastLine = <T>(text: string): T => JSON.parse(text.trimEnd().split("\n").at(-1)!) as T;

const rowsOf = async (...options: readonly string[]): Promise<Record<string, unknown>[]> => {
  const { code, stdout, stderr } = await sluice(["export", "last", "--data", data, ...options]);
  assert.equal(code, 0, stderr);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};

test("a job is extracted again from stored pages while the site is down", async (t) => {
  writeFileSync(scraper, original);
  const input = join(folder, "parcels.csv");
  writeFileSync(input, [...parcelsCsv(PARCELS)].join(""));
  {
    await using site = await startSite(["--parcels", `${PARCELS}`]);
    const { code, stderr } = await sluice(["run", scraper, "--input", input, "--data", data], {
      COUNTY_URL: site.url,
    });
    assert.equal(code, 0, stderr);
  }
  const first = await rowsOf();
  const withRecord = first.filter(({ _state }) => _state === "done").length;
  assert.ok(withRecord > PARCELS / 2, `${withRecord} records`);

  await t.test("with the same scraper nothing differs", async () => {
    const { code, stdout, stderr } = await sluice(["extract", "last", "--data", data, "--json"]);
    assert.equal(code, 0, stderr);
    const { counts, difference } = lastLine<End>(stdout);
    assert.deepEqual([counts["items"], counts["done"]], [withRecord, withRecord]);
    assert.equal(difference.changedItems, 0);
    assert.deepEqual(await rowsOf(), first);
  });

  await t.test("a field that is added is gained, one whose selector changed is changed", async () => {
    writeFileSync(
      scraper,
      original
        .replace('field.money("#market")', 'field.money("#assessed")')
        .replace("fields: {", 'fields: {\n      title: field.text("title"),'),
    );
    const { code, stdout, stderr } = await sluice(["extract", "last", "--data", data, "--json"]);
    assert.equal(code, 0, stderr);
    const { fields } = lastLine<End>(stdout).difference;
    assert.equal(fields["title"]?.["gained"], withRecord);
    assert.equal(fields["owner"]?.["same"], withRecord);
    const differing = first.filter((row) => row["marketValue"] !== row["assessedValue"]).length;
    assert.ok(differing > 0);
    const { gained = 0, lost = 0, changed = 0 } = fields["marketValue"]!;
    assert.equal(gained + lost + changed, differing);
    const rows = await rowsOf();
    assert.ok(rows.every((row) => row["_state"] !== "done" || row["marketValue"] === row["assessedValue"]));
    assert.deepEqual(await rowsOf("--extraction", "first"), first);
    const diff = await sluice(["diff", "last@first", "last", "--data", data, "--json", "--field", "title"]);
    assert.equal(lastLine<End["difference"]>(diff.stdout).fields["title"]?.["gained"], withRecord);
  });

  await t.test("killed or interrupted on the way, the set that was current stays", async () => {
    const current = await rowsOf();
    // Hangs on every page, so that the test can stop it at any time.
    writeFileSync(
      scraper,
      original.replace("fields: {", 'fields: {\n      now: field.text("title", { transform: wait }),') +
        `\nfunction wait(text: string): string {
  console.log("waiting");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
  return text;
}\n`,
    );
    for (const [signal, expected] of [
      ["SIGKILL", null],
      ["SIGINT", 5],
    ] as const) {
      const running = new SluiceProcess(["extract", "last", "--data", data]);
      await running.says(/waiting/);
      running.child.kill(signal);
      assert.equal((await running.ended).code, expected, running.stderr);
      assert.deepEqual(await rowsOf(), current);
    }
    assert.equal(globSync(join(data, "blobs/jobs/*/extractions/*/extraction.json")).length, 2);
  });
});

const TOWN_FILE = `
import { defineScraper, field } from "sluice";
import { z } from "zod";
export default defineScraper({
  name: "town",
  input: z.object({ url: z.string() }),
  pace: { perSecond: 400 },
  async collect({ input, http, keep }) { keep.page("town", await http.get(input.url)); },
  extract: { fields: { path: field.text("b") } },
});
`;
/** Emits towns, one of which has the listing's own URL: one key, two items. */
const LISTING_FILE = `
import { defineScraper, emitTo, field } from "sluice";
import { z } from "zod";
import town from "./town.scraper.ts";
export default defineScraper({
  name: "listing",
  input: z.object({ url: z.string() }),
  pace: { perSecond: 400 },
  async collect({ input, http, keep }) { keep.page("listing", await http.get(input.url)); },
  extract: { fields: { title: field.text("b") } },
  emit: [
    emitTo(town, {
      inputs: (_pages, { input }: { input: { url: string } }) =>
        ["", "/a", "/b"].map((end) => ({ url: input.url + end })),
    }),
  ],
});
`;

test("each item is extracted by its own scraper, in every job of the root scraper", async () => {
  const listing = join(folder, "listing.scraper.ts");
  const storage = join(folder, "several");
  writeFileSync(join(folder, "town.scraper.ts"), TOWN_FILE);
  writeFileSync(listing, LISTING_FILE);
  {
    await using site = await LoopbackSite.open();
    for (const path of ["/one", "/two"]) {
      const urls = site.writeUrls(join(folder, "urls.txt"), [path]);
      const { code, stderr } = await sluice(["run", listing, "--input", urls, "--data", storage]);
      assert.equal(code, 0, stderr);
    }
  }
  writeFileSync(join(folder, "town.scraper.ts"), TOWN_FILE.replace("path:", 'place: field.text("b"), path:'));
  const all = await sluice(["extract", "--all", "listing", "--since", "1d", "--data", storage, "--json"]);
  assert.equal(all.code, 0, all.stderr);
  const ends = all.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as End & { readonly type: string })
    .filter(({ type }) => type === "end");
  assert.equal(ends.length, 2);
  for (const { counts, difference } of ends) {
    assert.deepEqual([counts["items"], counts["records"]], [4, 4]);
    assert.equal(difference.fields["title"]?.["same"], 1);
    assert.equal(difference.fields["town.place"]?.["gained"], 3);
    assert.equal(difference.fields["town.path"]?.["same"], 3);
  }
  const { stdout } = await sluice(["export", "last", "--data", storage]);
  const rows = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .map(({ title, place, _scraper }) => `${String(_scraper)} ${String(title ?? place)}`);
  assert.deepEqual(new Set(rows), new Set(["listing /two", "town /two", "town /two/a", "town /two/b"]));
  assert.equal(rows.length, 4);
});
