/**
 * `npm test` runs the unit tests, `npm run test:e2e` the rest. Words select the files whose path contains one of them:
 * `npm test -- slots`. `--name PATTERN` selects tests by name, `--watch` runs files again when they change.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { installBrowserFor } from "./browser.ts";
import { installPackagesFor } from "./packages.ts";
import summary from "./summary.ts";
import { TEST_TIMEOUT, testEnv, type TestFile, testFiles } from "./test-files.ts";

/** A single test fails long before. This limit is for a process that hangs outside of a test. */
const FILE_LIMIT_MS = 30 * 60_000;

/** So many files share a process: enough to save start-up time, and few enough to keep all processors busy until the end. */
const FILES_PER_PROCESS = 20;

/** They take longest and start first, so that nothing waits for one of them at the end. */
const LONGEST =
  /attack|guides|demo-stay|postgres\/open|browser-truth|heap|relay|open-remote|s3\.test|packed|service\.test/;

const { values: options, positionals: words } = parseArgs({
  options: {
    e2e: { type: "boolean", default: false },
    watch: { type: "boolean", default: false },
    name: { type: "string", multiple: true, default: [] },
  },
  allowPositionals: true,
});

const selected = chooseFiles();
const folder = mkdtempSync(join(tmpdir(), "sluice-tests-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.env = testEnv();
await installBrowserFor(selected);
installPackagesFor(selected);
const events = run({
  files: processFiles(selected),
  // End-to-end tests wait for other processes, and for time to pass, most of the time.
  concurrency: availableParallelism() * (options.e2e ? 3 : 1),
  watch: options.watch,
  timeout: options.watch ? Infinity : FILE_LIMIT_MS,
  execArgv: [TEST_TIMEOUT],
  testNamePatterns: options.name,
});
events.on("test:fail", (data) => {
  if (data.todo === undefined || data.todo === false) process.exitCode = 1;
});
const closing = events.compose(summary);
const report = events.compose(new spec());
report.pipe(process.stdout, { end: false });
report.on("end", () => void closing.pipe(process.stdout));

/** The files of the group that was asked for. If the words match only files of the other group, those run. */
function chooseFiles(): TestFile[] {
  const all = testFiles(words);
  const group = options.e2e ? "e2e" : "unit";
  const [own, other] = [
    all.filter((file) => file.group === group),
    all.filter((file) => file.group !== group),
  ];
  if (all.length === 0) {
    console.error(`No test file has ${words.map((word) => `"${word}"`).join(" or ")} in its path.`);
    process.exit(1);
  }
  if (words.length > 0 && other.length > 0 && own.length > 0)
    console.log(
      `${other.length} more files match: ${options.e2e ? "npm test" : "npm run test:e2e"} -- ${words.join(" ")}\n`,
    );
  return own.length > 0 ? own : other;
}

/** What each test process runs: a single file, or a module that imports many of them, each as a suite of its own. */
function processFiles(files: readonly TestFile[]): string[] {
  if (options.watch || files.length === 1) return files.map(({ path }) => path);
  const sharing = files.filter((file) => !file.isAlone);
  const processes = Math.max(
    Math.min(availableParallelism(), sharing.length),
    Math.ceil(sharing.length / FILES_PER_PROCESS),
  );
  const modules = Array.from({ length: processes }, (_, n) => {
    const shared = sharing.filter((_file, i) => i % processes === n);
    const module = join(folder, `shared-${n + 1}.mjs`);
    writeFileSync(
      module,
      [`import { describe } from "node:test";`, ...shared.map(importAsSuite), ""].join("\n"),
    );
    return module;
  });
  const alone = files.filter((file) => file.isAlone).map(({ path }) => path);
  return [...alone.sort((a, b) => Number(LONGEST.test(b)) - Number(LONGEST.test(a))), ...modules];
}

function importAsSuite({ path }: TestFile): string {
  const url = pathToFileURL(resolve(path)).href;
  return `describe(${JSON.stringify(path)}, () => import(${JSON.stringify(url)}));`;
}
