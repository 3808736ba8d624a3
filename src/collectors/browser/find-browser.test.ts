import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { BrowserPathError, browserVersion, findBrowser, installHint } from "./find-browser.ts";

const program = (
  path: string,
  text = "#!/bin/sh\necho Chromium 150.0.7871.100 built on Debian\n",
): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
};

const folder = (t: TestContext): string => {
  const path = mkdtempSync(join(tmpdir(), "sluice-find-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

/** A platform without known paths: only what the environment names is found. */
const BARE = { platform: "freebsd" } as const;

test("the configuration comes before SLUICE_BROWSER, and both before everything else", async (t) => {
  const home = folder(t);
  const own = program(join(home, "own"));
  const other = program(join(home, "chrome-headless-shell"));
  const env = { SLUICE_BROWSER: other };
  assert.deepEqual(await findBrowser({ path: own, env }), {
    path: own,
    kind: "chromium",
    from: "in the configuration",
  });
  assert.deepEqual(await findBrowser({ env }), {
    path: other,
    kind: "headless-shell",
    from: "by SLUICE_BROWSER",
  });
});

test("a configured browser that cannot run is an error; no other is used instead", async (t) => {
  const path = join(folder(t), "not-there");
  await assert.rejects(findBrowser({ path }), BrowserPathError);
  await assert.rejects(findBrowser({ env: { SLUICE_BROWSER: path } }), {
    code: "bad-browser-path",
    message: /^\S+not-there: this path is set by SLUICE_BROWSER, /,
  });
});

test("Playwright's cache: the newest revision, and the headless shell before full Chromium", async (t) => {
  const cache = folder(t);
  const env = { PLAYWRIGHT_BROWSERS_PATH: cache };
  assert.equal(await findBrowser({ ...BARE, env }), undefined);
  const full = program(join(cache, "chromium-1201/chrome-linux64/chrome"));
  assert.equal((await findBrowser({ ...BARE, env }))?.path, full);
  program(join(cache, "chromium_headless_shell-999/chrome-linux/headless_shell"));
  const shell = program(
    join(cache, "chromium_headless_shell-1201/chrome-headless-shell-linux64/chrome-headless-shell"),
  );
  // Not complete: Playwright writes the programs of a revision one after the other.
  mkdirSync(join(cache, "chromium_headless_shell-1300"));
  assert.deepEqual(await findBrowser({ ...BARE, env }), {
    path: shell,
    kind: "headless-shell",
    from: "in Playwright's cache",
  });
  assert.equal((await findBrowser({ ...BARE, env, full: true }))?.path, full);
});

test("the version is what the program says; a program that does not start says why", async (t) => {
  const home = folder(t);
  assert.equal(await browserVersion(program(join(home, "good"))), "150.0.7871.100");
  const broken = program(join(home, "broken"), "#!/bin/sh\necho libnss3.so: cannot open >&2\nexit 127\n");
  await assert.rejects(browserVersion(broken), /libnss3\.so: cannot open/);
});

test("the install hint is a command for this machine", async () => {
  assert.match(
    await installHint(),
    /^(apt-get install|npx playwright-core install) .*chromium-headless-shell$/,
  );
});
