/**
 * `npm run check:release`: the version agrees in package.json, package-lock.json and CHANGELOG.md, and with the tag of this commit if it has one.
 * `prepublishOnly` runs it with `--tagged`: only a tagged commit with a changelog section is published.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { releaseProblems } from "./release-problems.ts";

const ROOT = resolve(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");
const versionIn = (name: string): string => (JSON.parse(read(name)) as { version: string }).version;

const git = (...args: string[]): string[] =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n").filter(Boolean);

const problems = releaseProblems({
  version: versionIn("package.json"),
  lockVersion: versionIn("package-lock.json"),
  changelog: read("CHANGELOG.md"),
  tags: git("tag", "--points-at", "HEAD", "v*"),
  mustBeTagged: process.argv.includes("--tagged"),
});
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${versionIn("package.json")}: version, changelog and tag agree.`);
