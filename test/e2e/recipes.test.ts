import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { RECIPES } from "../../examples/recipes/kitchen.ts";
import { servePages } from "../../examples/recipes/serve-pages.ts";
import { readLines } from "./county-process.ts";
import { ROOT, sluice } from "./sluice-process.ts";

const SCRAPER = join(ROOT, "examples/recipes/recipes.scraper.ts");
const REAL = resolve(ROOT, "../shared/testdata/pages");

const folder = mkdtempSync(join(tmpdir(), "sluice-recipes-"));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Row {
  readonly url: string;
  readonly title: string;
  readonly ingredients: readonly string[] | null;
  readonly image: string;
  readonly canonicalUrl: string;
  readonly language: string;
  readonly minutes: number | null;
}

/** Serves the pages by path and runs the scraper. The site is closed when this returns. */
const scrape = async (
  data: string,
  pages: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Row>> => {
  await using site = await servePages(pages);
  const [input, output] = [`${data}.txt`, `${data}.jsonl`];
  writeFileSync(input, [...pages.keys()].map((path) => `${site.url}${path}\n`).join(""));
  const args = ["run", SCRAPER, "--input", input, "--output", output, "--data", data];
  const run = await sluice(args);
  assert.ok(run.code === 0 || run.code === 3, run.stderr);
  return new Map(readLines<Row>(output).map((row) => [new URL(row.url).pathname, row]));
};

test("one scraper reads recipes in four kinds of markup", async () => {
  const data = join(folder, "kitchen");
  const rows = await scrape(data, new Map(RECIPES.map(({ path, html }) => [path, html])));
  for (const { path, expected } of RECIPES) {
    const row = rows.get(path);
    assert.ok(row, path);
    const { title, ingredients, image, canonicalUrl, language, minutes } = row;
    assert.deepEqual({ title, ingredients, image, canonicalUrl, language, minutes }, expected, path);
  }
});

interface Expected {
  readonly title: string;
  readonly ingredients: readonly string[];
  readonly image: string;
  readonly canonical_url: string;
  readonly language: string;
}

const isReal = existsSync(REAL);
const skip = isReal ? false : `${REAL} is not there`;
const hosts = isReal ? readdirSync(REAL) : [];
const fileOf = (host: string, name: string): string => readFileSync(join(REAL, host, name), "utf8");

test(
  "real pages of fifteen sites: title, ingredients, image, canonical URL and language are right, and again from storage",
  { skip },
  async (t) => {
    const data = join(folder, "real");
    const pages = new Map(hosts.map((host) => [`/${host}/`, fileOf(host, "page.html")]));
    const rows = await scrape(data, pages);
    for (const host of hosts) {
      await t.test(host, () => {
        const expected = JSON.parse(fileOf(host, "expected.json")) as Expected;
        const row = rows.get(`/${host}/`);
        assert.ok(row);
        assert.equal(row.title, expected.title);
        assert.equal(row.image, expected.image);
        assert.equal(row.language, expected.language);
        // If a page has no canonical URL, the expected value is the host.
        if (URL.canParse(expected.canonical_url)) assert.equal(row.canonicalUrl, expected.canonical_url);
        else assert.equal(new URL(row.canonicalUrl).hostname.replace(/^www\./, ""), expected.canonical_url);
        // The page does not mark its ingredients: finding none is right.
        const isMarkedUp = /"Recipe"|itemprop="(?:recipeIngredient|ingredients)"/.test(
          fileOf(host, "page.html"),
        );
        assert.equal(row.ingredients?.length, isMarkedUp ? expected.ingredients.length : undefined);
      });
    }

    await t.test("with the site gone, extraction from storage gives the same records", async () => {
      const extracted = await sluice(["extract", "last", "--data", data]);
      assert.equal(extracted.code, 0, extracted.stderr);
      const again = join(folder, "again.jsonl");
      const exported = await sluice(["export", "last", "--output", again, "--data", data]);
      assert.equal(exported.code, 0, exported.stderr);
      assert.deepEqual(readLines(again), readLines(`${data}.jsonl`));
    });
  },
);
