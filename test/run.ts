/** `npm test`: every test of the house, or those whose path contains one of the words given. */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";

const words = process.argv.slice(2);
const files = globSync("{src,test,examples,bench,docs}/**/*.test.ts", {
  exclude: (name) => name === "node_modules",
})
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();

/** What hangs must fail too, well before whoever runs this gives up on it. */
const LIMIT_MINUTES = 40;

// The build server's wish for colours must not reach what the tests compare.
const { CI: _ci, FORCE_COLOR: _color, ...env } = process.env;
const { status, error } = spawnSync(
  process.execPath,
  ["--test", "--test-concurrency=2", "--test-timeout=600000", ...files],
  {
    stdio: "inherit",
    env: { ...env, NO_COLOR: "1" },
    timeout: LIMIT_MINUTES * 60_000,
  },
);
if (error) console.error(`The tests did not end within ${LIMIT_MINUTES} minutes.`);
process.exit(status ?? 1);
