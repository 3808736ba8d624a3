/** The browser of the tests. A file that names `browserOrSkip` or `noBrowser` gets one installed before it runs, where that is possible. */
import { readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { findBrowser, type FoundBrowser, installHint } from "../src/collectors/browser/find-browser.ts";
import { aptInstall } from "./packages.ts";

/** Skips the test if this machine has no browser: `const browser = await browserOrSkip(t); if (!browser) return;` */
export const browserOrSkip = async (t: TestContext): Promise<FoundBrowser | undefined> => {
  const found = await findBrowser();
  if (!found) t.skip(`no browser on this machine. To install one: ${await installHint()}`);
  return found;
};

/** For `{ skip }` of tests: false if there is a browser. */
export const noBrowser = (await findBrowser())
  ? false
  : `no browser on this machine. To install one: ${await installHint()}`;

/** Before the first test: installs what apt has, as root on Debian. Elsewhere it says how to do it, and the tests that need it are skipped. */
export const installBrowserFor = async (files: readonly { readonly path: string }[]): Promise<void> => {
  if (!files.some(({ path }) => /browserOrSkip|noBrowser/.test(readFileSync(path, "utf8")))) return;
  if (await findBrowser()) return;
  const hint = await installHint();
  const [command, ...args] = hint.split(" ");
  if (command === "apt-get" && process.getuid?.() === 0) {
    console.log(`Some tests need a browser. Running: ${hint}`);
    if (aptInstall(args)) return;
  }
  console.log(`Tests that need a browser are skipped: there is none. To install one: ${hint}`);
};
