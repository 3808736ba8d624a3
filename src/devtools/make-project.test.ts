import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { folderProblem, makeFolder, makeProject, otherFiles } from "./make-project.ts";

const kit = mkdtempSync(join(tmpdir(), "sluice-project-"));
after(() => rmSync(kit, { recursive: true, force: true }));

interface Manifest {
  readonly name: string;
  readonly type: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

test("a project has its configuration, a scraper and what editors need", () => {
  const folder = join(kit, "My Scrapers!");
  const { written, kept } = makeProject(folder);
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
  const { name, dependencies } = manifestOf(folder);
  assert.equal(name, "my-scrapers");
  const installed = join(folder, dependencies["sluice-jobs"]!.replace("file:", ""));
  assert.equal(manifestOf(installed).name, "sluice-jobs");
});

test("an existing file is not changed, and the missing ones are added", () => {
  const folder = join(kit, "half");
  mkdirSync(folder);
  writeFileSync(join(folder, "README.md"), "mine");
  const { written, kept } = makeProject(folder);
  assert.deepEqual(kept, ["README.md"]);
  assert.ok(written.includes("sluice.config.ts"));
  assert.equal(readFileSync(join(folder, "README.md"), "utf8"), "mine");
});

test("a folder with nothing but what git and npm left there counts as empty", () => {
  const folder = join(kit, "repository");
  assert.deepEqual(otherFiles(folder), []);
  mkdirSync(join(folder, ".git"), { recursive: true });
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), "{}");
  assert.deepEqual(otherFiles(folder), []);
  writeFileSync(join(folder, "notes.txt"), "");
  assert.deepEqual(otherFiles(folder), ["notes.txt"]);
});

const AFTER_NPM_INIT = {
  name: "mine",
  type: "commonjs",
  scripts: { test: 'echo "Error: no test specified" && exit 1', mine: "true" },
  dependencies: { "sluice-jobs": "file:../sluice-jobs-0.1.0.tgz" },
};

test("the package.json of `npm init` and `npm install` is completed, once", () => {
  const folder = join(kit, "npm-init");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify(AFTER_NPM_INIT));
  assert.equal(makeProject(folder).completesManifest, true);
  const { name, type, scripts, dependencies } = manifestOf(folder);
  assert.deepEqual([name, type, scripts["test"], scripts["mine"]], ["mine", "module", "sluice test", "true"]);
  assert.equal(dependencies["sluice-jobs"], "file:../sluice-jobs-0.1.0.tgz");
  assert.ok(dependencies["zod"]);
  assert.equal(makeProject(folder).completesManifest, false);
});

test("a project with files of its own keeps its module type and its test script", () => {
  const folder = join(kit, "grown");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ ...AFTER_NPM_INIT, scripts: { test: "mocha" } }),
  );
  writeFileSync(join(folder, "index.js"), "");
  makeProject(folder);
  const { type, scripts } = manifestOf(folder);
  assert.deepEqual([type, scripts["test"]], ["commonjs", "mocha"]);
});

test("a folder is created with its parents, and may exist already", () => {
  const folder = join(kit, "a/b/c");
  assert.equal(folderProblem(folder), undefined);
  makeFolder(folder);
  makeFolder(folder);
  assert.ok(statSync(folder).isDirectory());
  assert.equal(folderProblem(folder), undefined);
});

test("a file in place of the folder, or of a parent, is named", () => {
  const file = join(kit, "loop.ts");
  writeFileSync(file, "");
  for (const folder of [file, join(file, "deep/down")]) {
    assert.ok(folderProblem(folder)?.includes(file));
    assert.throws(() => makeFolder(folder), { code: /EEXIST|ENOTDIR/ });
  }
});

test(
  "a folder that cannot be created is an error, not a hang",
  { skip: existsSync("/proc") ? false : "this system has no /proc" },
  () => {
    assert.throws(() => makeFolder("/proc/sluice/deep/down"), { code: /ENOENT|EACCES|EPERM/ });
  },
);
