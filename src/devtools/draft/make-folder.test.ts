import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { folderProblem, makeFolder } from "./make-folder.ts";

const kit = mkdtempSync(join(tmpdir(), "sluice-folder-"));
after(() => rmSync(kit, { recursive: true, force: true }));

test("a folder is made with those above it, and may be there already", () => {
  const folder = join(kit, "a/b/c");
  assert.equal(folderProblem(folder), undefined);
  makeFolder(folder);
  makeFolder(folder);
  assert.ok(statSync(folder).isDirectory());
  assert.equal(folderProblem(folder), undefined);
});

test("a file in its place, or in that of a folder above it, is named", () => {
  const file = join(kit, "loop.ts");
  writeFileSync(file, "");
  for (const folder of [file, join(file, "deep/down")]) {
    assert.ok(folderProblem(folder)?.includes(file));
    assert.throws(() => makeFolder(folder), { code: /EEXIST|ENOTDIR/ });
  }
});

test(
  "where no folder can be made, it is told",
  { skip: existsSync("/proc") ? false : "this system has no /proc" },
  () => {
    assert.throws(() => makeFolder("/proc/sluice/deep/down"), { code: /ENOENT|EACCES|EPERM/ });
  },
);
