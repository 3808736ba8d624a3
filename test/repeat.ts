/** `npm run test:repeat -- --times 50 --load 4 WORD…`: runs test files, or some of their tests, many times while busy processes use the processors. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { TEST_TIMEOUT, testEnv, testFiles } from "./test-files.ts";

const { values, positionals: words } = parseArgs({
  options: {
    times: { type: "string", default: "50" },
    load: { type: "string", default: String(2 * availableParallelism()) },
    name: { type: "string" },
  },
  allowPositionals: true,
});
const [times, load] = [Number(values.times), Number(values.load)];
const names = values.name === undefined ? [] : [`--test-name-pattern=${values.name}`];
const files = testFiles(words).map(({ path }) => path);
if (words.length === 0 || files.length === 0 || !(times >= 1) || !(load >= 0)) {
  console.error(
    "Usage: npm run test:repeat -- [--times 50] [--load 4] [--name PATTERN] WORD…   (WORD: a part of a test file's path; PATTERN: of a test's name)",
  );
  process.exit(2);
}

const busy: ChildProcess[] = Array.from({ length: load }, () =>
  spawn(
    process.execPath,
    [
      "-e",
      "process.on('disconnect', process.exit); (function on() { for (let i = 0; i < 1e7; i++); setImmediate(on); })()",
    ],
    {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    },
  ),
);
let failures = 0;
for (const file of files) {
  const seconds: number[] = [];
  let failed = 0;
  for (let run = 1; run <= times; run++) {
    const startedAt = performance.now();
    const args = ["--test", TEST_TIMEOUT, ...names, file];
    const { status, stdout } = spawnSync(process.execPath, args, { env: testEnv(), encoding: "utf8" });
    seconds.push((performance.now() - startedAt) / 1000);
    if (status !== 0) {
      failed++;
      console.log(`${file}, run ${run}:\n${stdout.slice(stdout.indexOf("failing tests"))}`);
    }
    if (run % 10 === 0) console.error(`${file}: ${run} of ${times} runs, ${failed} failed so far`);
  }
  failures += failed;
  const slowest = Math.max(...seconds).toFixed(1);
  console.log(`${file}: ${times - failed} of ${times} passed, ${load} busy processes, slowest ${slowest} s`);
}
for (const process of busy) process.kill("SIGKILL");
process.exitCode = failures > 0 ? 1 : 0;
