import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { openFiles } from "../backends/files/open-files.ts";
import { FileFolder } from "./kept-files.ts";

test("files of keys in any script are written under names that the file system takes", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-kept-files-"));
  t.after(() => rm(folder, { recursive: true }));
  const blobs = await openFiles(join(folder, "blobs"));
  const blob = "jobs/one/files/a.pdf";
  await blobs.put(blob, Buffer.from("text"));
  const digest = `sha256:${createHash("sha256").update("text").digest("hex")}`;
  const url = "https://site.test/a.pdf";
  const ref = { name: "bill", url, mediaType: "application/pdf", digest, blob, offset: 0, length: 4 };
  const out = new FileFolder(blobs, join(folder, "out"));
  const names: string[] = [];
  for (const key of ["a/b", "請求書".repeat(100), "請求書".repeat(101), "𠮷".repeat(300)]) {
    const path = await out.write({ key }, ref);
    assert.equal(await readFile(path, "utf8"), "text");
    names.push(basename(path));
  }
  assert.equal(names[0], "a_b-bill.pdf");
  assert.equal(new Set(names).size, 4, "names that would meet are numbered");
  assert.ok(names.every((name) => name.isWellFormed()));
});
