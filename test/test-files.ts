import { globSync } from "node:fs";

/** Every test file of the project, or those whose path contains one of the words. */
export const testFiles = (words: readonly string[]): string[] =>
  globSync("{src,test,examples,bench,docs}/**/*.test.ts", { exclude: (name) => name === "node_modules" })
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .sort();

/** The build server's wish for colours must not reach what the tests compare. */
export const testEnv = (): NodeJS.ProcessEnv => {
  const { CI: _ci, FORCE_COLOR: _color, ...env } = process.env;
  return { ...env, NO_COLOR: "1" };
};

/** What hangs must fail too. */
export const TEST_TIMEOUT = "--test-timeout=600000";
