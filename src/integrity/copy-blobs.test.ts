import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openBlobFolder } from "../compose.ts";
import type { Blobs } from "../ports/blobs.ts";
import { copyBlobs } from "./copy-blobs.ts";

const openPair = async (t: TestContext, names: readonly string[]) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-copy-blobs-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [source, target] = await Promise.all(
    ["source", "target"].map((name) => openBlobFolder(join(folder, name))),
  );
  for (const name of names) await source!.put(name, Buffer.from(`bytes of ${name}`));
  return { folder, source: source!, target: target! };
};

const NAMES = Array.from({ length: 50 }, (_, n) => `jobs/a/captures/${n}.warc.gz`);
const MANIFEST = "jobs/a/manifest.jsonl";

const textOf = async (blobs: Blobs, name: string): Promise<string> =>
  Buffer.from(await blobs.get(name)).toString();

test("copies what is missing, has another size or is rewritten, and leaves the rest", async (t) => {
  const { source, target } = await openPair(t, [...NAMES, MANIFEST, "service/clients.json"]);
  await target.put(NAMES[3]!, Buffer.from("half"));
  await target.put(NAMES[4]!, await source.get(NAMES[4]!));
  await target.put(MANIFEST, Buffer.from("bytes of jobs/b/manifest.jsonl"));
  let told = 0;
  const copied = await copyBlobs(source, target, { onProgress: (_, { objects }) => (told = objects) });
  assert.equal(told, 52);
  assert.deepEqual([copied.objects, copied.kept], [52, 1]);
  assert.ok(copied.verified > 0 && copied.verified < 52);
  for (const name of [...NAMES, MANIFEST]) assert.equal(await textOf(target, name), `bytes of ${name}`);
  const again = await copyBlobs(source, target, { verify: true });
  assert.deepEqual([again.objects, again.kept, again.verified], [52, 50, 52]);
  assert.equal(again.bytes, copied.bytes);
});

test("refuses a target with other objects before it writes anything", async (t) => {
  const { source, target } = await openPair(t, NAMES);
  await target.put("jobs/other/captures/1.warc.gz", Buffer.from("other"));
  await assert.rejects(copyBlobs(source, target), { code: "not-empty" });
  assert.equal((await Array.fromAsync(target.list(""))).length, 1);
});

test("finds copies that differ: with `verify` also those of an earlier run", async (t) => {
  const { folder, source, target } = await openPair(t, NAMES);
  await copyBlobs(source, target);
  writeFileSync(join(folder, "target", NAMES[7]!), "BYTES of jobs/a/captures/7.warc.gz");
  await copyBlobs(source, target);
  await assert.rejects(
    copyBlobs(source, target, { verify: true }),
    /captures\/7\.warc\.gz: the copy differs/,
  );
});

test("a store that fails ends the copy with its error, and the next run goes on", async (t) => {
  // From its first to its last object.
  for (const most of [0, 20, 49]) {
    const { source, target } = await openPair(t, NAMES);
    let puts = 0;
    const failing: Blobs = {
      ...target,
      put: async (name, body) => {
        if (++puts > most) throw new Error("no more");
        return await target.put(name, body);
      },
    };
    await assert.rejects(copyBlobs(source, failing), /no more/);
    const { objects, kept } = await copyBlobs(source, target);
    assert.deepEqual([objects, kept], [50, most]);
  }
});
