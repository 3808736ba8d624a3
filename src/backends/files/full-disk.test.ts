// e2e: mounts small file systems
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { BlobError, type BlobErrorCode } from "../../ports/blobs.ts";
import { openFiles } from "./open-files.ts";
import { TEMP_FOLDER } from "./put-file.ts";

/** A small disk of its own, or undefined (and the test skipped) where this user may not mount one. */
const smallDisk = (t: TestContext): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], { stdio: "pipe" });
  } catch (error) {
    rmSync(folder, { recursive: true });
    t.skip(`cannot mount a small tmpfs here (it needs root): ${String(error).split("\n")[0]}`);
    return undefined;
  }
  t.after(() => {
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
};

const failsAt =
  (code: BlobErrorCode, folder: string) =>
  (error: unknown): boolean =>
    error instanceof BlobError && error.code === code && error.message.includes(folder);

const body = (size: number) => new Uint8Array(size).fill(7);

it("says no-space and the folder when the disk is full, loses nothing, and goes on when there is room", async (t) => {
  const folder = smallDisk(t);
  if (folder === undefined) return;
  const blobs = await openFiles(folder);
  await blobs.put("a/kept", body(1_000_000));
  await assert.rejects(() => blobs.put("a/too-big", body(3_000_000)), failsAt("no-space", folder));
  async function* streamed(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 30; i++) yield body(100_000);
  }
  await assert.rejects(() => blobs.put("a/kept", streamed()), failsAt("no-space", folder));
  assert.deepEqual(await readdir(join(folder, TEMP_FOLDER)), []);
  for await (const listed of blobs.list("")) assert.deepEqual(listed, { name: "a/kept", size: 1_000_000 });
  await blobs.put("a/small", body(500_000));
  assert.deepEqual(Buffer.from(await blobs.get("a/kept")), Buffer.from(body(1_000_000)));
});

it("reads from a read-only disk and says read-only to a put", async (t) => {
  const folder = smallDisk(t);
  if (folder === undefined) return;
  await (await openFiles(folder)).put("kept", body(10));
  await rm(join(folder, TEMP_FOLDER), { recursive: true });
  execFileSync("mount", ["-o", "remount,ro", folder]);
  const blobs = await openFiles(folder);
  assert.equal((await blobs.get("kept")).length, 10);
  await assert.rejects(() => blobs.put("new", body(10)), failsAt("read-only", folder));
  await assert.rejects(() => openFiles(join(folder, "below")), failsAt("read-only", folder));
});
