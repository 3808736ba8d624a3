/** `npm test`: every test of the house, or those whose path contains one of the words given. */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";

const words = process.argv.slice(2);
const files = globSync("{src,test,examples,bench,docs}/**/*.test.ts", {
  exclude: (name) => name === "node_modules",
})
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
const { status, signal } = spawnSync(
  process.execPath,
  ["--test", "--test-concurrency=2", "--test-timeout=600000", ...files],
  { stdio: "inherit" },
);
process.exit(signal ? 1 : (status ?? 1));
