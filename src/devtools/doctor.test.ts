import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { examine } from "./doctor.ts";

test("the browser is named with its kind, its version and how it was found", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-doctor-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "headless_shell");
  writeFileSync(path, "#!/bin/sh\necho Chromium 150.0.7871.100\n");
  chmodSync(path, 0o755);
  const [, browser] = await examine({ env: { SLUICE_BROWSER: path } });
  assert.deepEqual(browser, {
    name: "Browser",
    isGood: true,
    detail: `${path}, headless shell 150.0.7871.100, found by SLUICE_BROWSER`,
  });
});

test("a wrong path is said to be wrong, and a remote browser's password stays out", async () => {
  const [, wrong] = await examine({ browser: "/no/such/chrome", env: {} });
  assert.equal(wrong?.isGood, false);
  assert.match(wrong.detail, /^\/no\/such\/chrome: this path is set in the configuration/);
  const [, remote] = await examine({ env: { SLUICE_BROWSER: "wss://user:secret@browser.example:9222/" } });
  assert.equal(remote?.detail, "a remote browser at browser.example:9222");
});
