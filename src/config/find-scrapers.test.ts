import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { findScraper, listScrapers } from "./find-scrapers.ts";
import type { Project } from "./load-config.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-find-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const put = (path: string): string => {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
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

test("the scrapers of a project are all *.scraper files below its folders, packages left out", () => {
  assert.deepEqual(listScrapers(config), [deep, beside, own].sort());
});

test("folders that overlap list a scraper once", () => {
  const twice = { ...config, scrapers: [folder, join(folder, "scrapers")] };
  assert.deepEqual(listScrapers(twice), [deep, beside, own].sort());
});

test("a scraper is found by its name, however deep it stands", () => {
  assert.equal(findScraper("county", config), beside);
  assert.equal(findScraper("quotes", config), own);
  assert.equal(findScraper("travis", config), deep);
});

test("a path, a file URL and a built-in are left as they are", () => {
  for (const named of ["page", "x.ts", "./x", "a/b.scraper.js", "file:///x/y.ts"])
    assert.equal(findScraper(named, config), named);
});

test("a name that nobody has is refused with the names that there are", () => {
  assert.throws(() => findScraper("qoutes", config), {
    code: "unknown-scraper",
    message: /^qoutes: .*county.*quotes.*travis|^qoutes: .*travis.*county.*quotes/,
  });
});

test("a name that two scrapers have is refused with both paths", () => {
  const second = put("more/quotes.scraper.ts");
  assert.throws(
    () => findScraper("quotes", config),
    ({ code, message }: Error & { code: string }) =>
      code === "unknown-scraper" && message.includes(own) && message.includes(second),
  );
});

test("without a configuration an unknown name says so", () => {
  assert.throws(() => findScraper("no-such-scraper", undefined), {
    code: "unknown-scraper",
    message: /sluice\.config\.ts/,
  });
});
