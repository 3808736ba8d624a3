import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { keepKey, keyFor, keysFile, serverName } from "./stored-keys.ts";

const HERE = "http://127.0.0.1:7070";

const environment = (t: TestContext): Readonly<Record<string, string>> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-keys-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return { XDG_CONFIG_HOME: folder };
};

test("a key is found by its server in any spelling, and the environment overrides it", (t) => {
  const own = environment(t);
  assert.equal(keyFor(HERE, own), undefined);
  keepKey(`${HERE}/`, "k1", own);
  keepKey("https://other.test", "k2", own);
  assert.equal(keyFor(HERE, own), "k1");
  assert.equal(keyFor("https://OTHER.test:443/v1", own), "k2");
  assert.equal(keyFor(HERE, { ...own, SLUICE_KEY: " k3 " }), "k3");
  assert.equal(keyFor(HERE, { ...own, SLUICE_KEY: "" }), "k1");
});

test("only the owner can read the file, even if it was readable before", (t) => {
  const own = environment(t);
  const file = keepKey(HERE, "k1", own);
  assert.deepEqual([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777], [0o600, 0o700]);
  writeFileSync(file, readFileSync(file), { mode: 0o644 });
  keepKey(HERE, "k2", own);
  assert.equal(statSync(keysFile(own)).mode & 0o777, 0o600);
});

test("an unreadable file is reported, with what to do", (t) => {
  const own = environment(t);
  const file = keepKey(HERE, "k1", own);
  writeFileSync(file, "{");
  assert.throws(() => keyFor(HERE, own), { name: "UsageError" });
});

test("a text that is not a server's address is refused", () => {
  for (const text of ["127.0.0.1:7070", "ftp://x", "http://user:secret@host", ""])
    assert.throws(() => serverName(text), { name: "UsageError" }, text);
});
