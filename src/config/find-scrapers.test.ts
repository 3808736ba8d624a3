import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { findScraper, listScrapers } from "./find-scrapers.ts";
import type { Project } from "./load-config.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-find-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const scraperText = (name: string): string =>
  `import { page } from ${JSON.stringify(join(import.meta.dirname, "../scrapers/page.ts"))};
   export default { ...page, name: ${name} };`;

const put = (path: string, text = ""): string => {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};
const beside = put("scrapers/county.scraper.ts");
const own = put("scrapers/quotes/quotes.scraper.ts");
const deep = put("more/us/tx/travis.scraper.js");
put("scrapers/node_modules/other/other.scraper.ts");
put("scrapers/.cache/old.scraper.ts");
put("scrapers/quotes/quotes.ts");

const config: Project = {
  file: join(folder, "sluice.config.ts"),
  folder,
  data: join(folder, "data"),
  scrapers: ["scrapers", "more", "not-there"].map((name) => join(folder, name)),
};

test("the scrapers of a project are all *.scraper files below its folders, except in packages", () => {
  assert.deepEqual(listScrapers(config), [deep, beside, own].sort());
});

test("folders that overlap list a scraper once", () => {
  const twice = { ...config, scrapers: [folder, join(folder, "scrapers")] };
  assert.deepEqual(listScrapers(twice), [deep, beside, own].sort());
});

test("a scraper is found by the name of its file, at any depth", async () => {
  assert.equal(await findScraper("county", config), beside);
  assert.equal(await findScraper("quotes", config), own);
  assert.equal(await findScraper("travis", config), deep);
});

test("a scraper without code is found by its file, by its own name, and by its path", async () => {
  const text = (name: string): string =>
    `kind: recording\nname: ${name}\ninput: { id: string }\nrecording:\n  steps: [{ type: navigate, url: "https://a.example/{{id}}" }]\n`;
  const yaml = put("data/recorded.scraper.yaml", text("clerk-deeds"));
  const short = put("data/brief.scraper.yml", text("brief"));
  const json = put("data/plain.scraper.json", "{}");
  put("data/recorded.recording.json", "{}");
  const project = { ...config, scrapers: [join(folder, "data")] };
  assert.deepEqual(listScrapers(project), [yaml, short, json].sort());
  assert.equal(await findScraper("clerk-deeds", project), yaml);
  assert.equal(await findScraper("recorded", project), yaml);
  assert.equal(await findScraper("brief", project), short);
  assert.equal(await findScraper("plain.scraper.json", project), "plain.scraper.json");
});

test("a scraper is found by its own name, which has precedence over file names", async () => {
  const other = put("more/other.scraper.ts", scraperText('"willow-county-tax"'));
  const made = put("more/made.scraper.ts", scraperText('["made", "up"].join("-")'));
  assert.equal(await findScraper("willow-county-tax", config), other);
  assert.equal(await findScraper("other", config), other);
  assert.equal(await findScraper("made-up", config), made, "of a name that code puts together");
  const county = put("more/late.scraper.ts", scraperText('"county"'));
  assert.equal(await findScraper("county", config), county);
});

test("two scrapers with the same name are refused with both paths, whichever name is used", async () => {
  const twins = ["twin-a", "twin-b"].map((file) => put(`more/${file}.scraper.ts`, scraperText('"twin"')));
  for (const named of ["twin", "twin-a"])
    await assert.rejects(
      findScraper(named, config),
      ({ code, message }: Error & { code: string }) =>
        code === "bad-scraper" && twins.every((file) => message.includes(file)),
    );
});

test("a path, a file URL and a built-in are unchanged", async () => {
  for (const named of ["page", "x.ts", "./x", "a/b.scraper.js", "file:///x/y.ts"])
    assert.equal(await findScraper(named, config), named);
});

test("an unknown name is refused with the existing names and a suggestion", async () => {
  await assert.rejects(findScraper("qoutes", config), {
    code: "unknown-scraper",
    message: /^qoutes: .*Did you mean quotes\?.*county.*quotes/,
  });
});

test("a name of two files is refused with both paths", async () => {
  const second = put("more/quotes.scraper.ts");
  await assert.rejects(
    findScraper("quotes", config),
    ({ code, message }: Error & { code: string }) =>
      code === "unknown-scraper" && message.includes(own) && message.includes(second),
  );
});

test("without a configuration an unknown name says so", async () => {
  await assert.rejects(findScraper("no-such-scraper", undefined), {
    code: "unknown-scraper",
    message: /sluice\.config\.ts/,
  });
});
