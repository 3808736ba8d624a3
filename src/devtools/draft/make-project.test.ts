import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { makeProject, standsInTheWay } from "./make-project.ts";

const kit = mkdtempSync(join(tmpdir(), "sluice-project-"));
after(() => rmSync(kit, { recursive: true, force: true }));

test("a project has its configuration, a scraper and what editors need", () => {
  const { written, kept } = makeProject(join(kit, "My Scrapers!"));
  for (const file of [
    "sluice.config.ts",
    "package.json",
    "tsconfig.json",
    ".gitignore",
    "README.md",
    "site.js",
  ])
    assert.ok(written.includes(file), file);
  assert.ok(written.includes(join("scrapers", "tools", "tools.scraper.ts")));
  assert.deepEqual(kept, []);
  const text = readFileSync(join(kit, "My Scrapers!/package.json"), "utf8");
  const { name, dependencies } = JSON.parse(text) as { name: string; dependencies: { sluice: string } };
  assert.equal(name, "my-scrapers");
  const installed = join(kit, "My Scrapers!", dependencies.sluice.replace("file:", ""), "package.json");
  assert.match(readFileSync(installed, "utf8"), /"name": "sluice"/);
});

test("a file that is there is left as it is, and the others are added", () => {
  const folder = join(kit, "half");
  mkdirSync(folder);
  writeFileSync(join(folder, "README.md"), "mine");
  const { written, kept } = makeProject(folder);
  assert.deepEqual(kept, ["README.md"]);
  assert.ok(written.includes("sluice.config.ts"));
  assert.equal(readFileSync(join(folder, "README.md"), "utf8"), "mine");
});

test("what stands in the way is everything but the history of a fresh repository", () => {
  const folder = join(kit, "repository");
  assert.deepEqual(standsInTheWay(folder), []);
  mkdirSync(join(folder, ".git"), { recursive: true });
  assert.deepEqual(standsInTheWay(folder), []);
  writeFileSync(join(folder, "notes.txt"), "");
  assert.deepEqual(standsInTheWay(folder), ["notes.txt"]);
});
