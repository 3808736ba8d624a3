import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { LoopbackSite } from "./loopback-site.ts";
import { ROOT, SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-rights-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const namesBelow = (path: string): string[] => readdirSync(path, { recursive: true, encoding: "utf8" });

/** All paths in the folder to which anyone but the owner has access. */
const openToOthers = (path: string): string[] =>
  [path, ...namesBelow(path).map((name) => join(path, name))].filter(
    (name) => (statSync(name).mode & 0o077) !== 0,
  );

/** With a umask of 0. */
const unmasked = (...args: readonly string[]): Promise<unknown> =>
  promisify(execFile)("sh", [
    "-c",
    'umask 000; exec "$@"',
    "sh",
    process.execPath,
    join(ROOT, "bin/sluice.js"),
    ...args,
  ]);

test("ledger, logs, pages and backups are readable only by their owner, whatever the umask", async () => {
  await using site = await LoopbackSite.open();
  const input = site.writeUrls(join(folder, "urls.txt"), ["/a", "/b"]);
  const [data, copy, restored] = [join(folder, "data"), join(folder, "copy"), join(folder, "restored")];
  await unmasked("run", "page", "--input", input, "--data", data, "--log-level", "debug");
  await unmasked("backup", copy, "--data", data);
  await unmasked("restore", copy, "--data", restored);
  const names = namesBelow(data);
  for (const part of ["sluice.db", "logs/", "blobs/jobs/"])
    assert.ok(
      names.some((name) => name.startsWith(part)),
      `${part} is not there`,
    );
  assert.deepEqual([data, copy, restored].flatMap(openToOthers), []);
});

test("a data folder that others can read is used, with a warning", async () => {
  const data = join(folder, "wide");
  mkdirSync(data);
  chmodSync(data, 0o755);
  const serve = new SluiceProcess(["serve", "--port", "0", "--no-key", "--data", data]);
  await serve.says(/other users of this machine .*mode 0755.*chmod -R go= /s);
  serve.child.kill("SIGTERM");
  assert.equal((await serve.ended).code, 0);
  assert.equal(statSync(data).mode & 0o777, 0o755);
  assert.deepEqual(openToOthers(data), [data]);
});
