import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startPacker } from "../archive/packer.ts";
import { openFiles } from "../backends/files/open-files.ts";
import { JobArchives } from "./job-archives.ts";

test("data of a job without items in flight waits at most a second, however long the blob store allows", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-archives-"));
  t.after(() => rm(folder, { recursive: true }));
  let now = 0;
  const blobs = { ...(await openFiles(folder)), gatherMs: 2 ** 30 };
  await using packer = startPacker();
  await using archives = new JobArchives({ blobs, packer, software: "test", now: () => now });
  const [kept] = ["idle", "busy"].map((job) => archives.of(job).item().commit(["{}"]));
  archives.sealIdle(new Set(["busy"]));
  now = 1000;
  archives.sealIdle(new Set(["busy"]));
  await kept;
  const names = (await Array.fromAsync(blobs.list(""))).map(({ name }) => name.split("/")[1]);
  assert.deepEqual(names, ["idle"]);
});

test("of many jobs the last used stay open, and the data of the others is kept", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-archives-"));
  t.after(() => rm(folder, { recursive: true }));
  const blobs = await openFiles(folder);
  await using packer = startPacker();
  const archives = new JobArchives({ blobs, packer, software: "test" });
  const first = archives.of("job-0");
  const kept = first.item().commit(["{}"]);
  for (let n = 1; n <= 256; n++) {
    archives.of(`job-${n}`);
    archives.of("job-1");
  }
  assert.notEqual(archives.of("job-0"), first, "it was closed");
  assert.equal(archives.of("job-1"), archives.of("job-1"));
  await kept;
  await archives[Symbol.asyncDispose]();
  const names = (await Array.fromAsync(blobs.list("jobs/job-0/records/"))).map(({ name }) => name);
  assert.equal(names.length, 1);
});
