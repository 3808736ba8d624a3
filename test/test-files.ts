/**
 * Which test files there are, and how each of them runs. A file says what is special about it in a comment of its own, with the reason:
 *
 *     // e2e: starts worker processes          → runs with `npm run test:e2e`, in its own process
 *     // own process: replaces process.stdout   → runs with `npm test`, in its own process
 *
 * Everything below test/e2e belongs to `npm run test:e2e`. All other files share processes.
 */
import { globSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TestFile {
  readonly path: string;
  readonly group: "unit" | "e2e";
  readonly isAlone: boolean;
}

const MARK = /^\/\/ (e2e|own process): \S/m;

const describeFile = (path: string): TestFile => {
  const mark = MARK.exec(readFileSync(path, "utf8"))?.[1];
  const group = mark === "e2e" || path.startsWith("test/e2e/") ? "e2e" : "unit";
  return { path, group, isAlone: group === "e2e" || mark === "own process" };
};

/** Every test file of the project, or those whose path contains one of the words. */
export const testFiles = (words: readonly string[]): TestFile[] =>
  globSync("{src,dashboard/src,test,examples,bench,docs}/**/*.test.ts", {
    exclude: (name) => name === "node_modules",
  })
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
    .sort()
    .map(describeFile);

/** A hanging test must fail too, and before the other tests have waited long for it. */
export const TEST_TIMEOUT = "--test-timeout=480000";

/** The environment of every test process: no colours, whatever the build server prefers, and compiled modules are cached between processes. */
export const testEnv = (): NodeJS.ProcessEnv => {
  const { CI: _ci, FORCE_COLOR: _color, ...env } = process.env;
  return { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"), ...env, NO_COLOR: "1" };
};
