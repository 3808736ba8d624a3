/** `npm test`: every test of the project, or those whose path contains one of the words given. */
import { spawnSync } from "node:child_process";
import { TEST_TIMEOUT, testEnv, testFiles } from "./test-files.ts";

/** A single test that hangs fails long before; this is for what hangs outside of one, also on a machine that has much else to do. */
const LIMIT_MINUTES = 120;

const reporters = ["spec", "./test/slowest-files.ts"].flatMap((reporter) => [
  `--test-reporter=${reporter}`,
  "--test-reporter-destination=stdout",
]);
const { status, error } = spawnSync(
  process.execPath,
  ["--test", "--test-concurrency=2", TEST_TIMEOUT, ...reporters, ...testFiles(process.argv.slice(2))],
  { stdio: "inherit", env: testEnv(), timeout: LIMIT_MINUTES * 60_000 },
);
if (error) console.error(`The tests did not end within ${LIMIT_MINUTES} minutes.`);
process.exit(status ?? 1);
