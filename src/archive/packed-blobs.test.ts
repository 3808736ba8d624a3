import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { openFiles } from "../backends/files/open-files.ts";
import type { CaptureRef, RecordRange } from "../domain/capture.ts";
import { BlobError, type Blobs } from "../ports/blobs.ts";
import { packedBlobs } from "./packed-blobs.ts";
import { packName, partsOfPack } from "./packs.ts";
import { startPacker } from "./packer.ts";
import { readCapture } from "./read-capture.ts";
import { openArchive } from "./segment-writer.ts";

const packer = startPacker();
after(() => packer[Symbol.asyncDispose]());

interface Stored {
  readonly capture: CaptureRef;
  readonly records: RecordRange;
  readonly page: string;
}

const namesOf = async (blobs: Blobs, prefix = ""): Promise<string[]> =>
  (await Array.fromAsync(blobs.list(prefix))).map(({ name }) => name);

/** A store below, its packed view, and groups of items, one after another. */
const open = async (t: TestContext, groups = 0) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-packed-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const store = await openFiles(folder);
  const blobs = packedBlobs(store);
  const archive = openArchive({ blobs, packer, job: "7", software: "test", maxAgeMs: 2 ** 30 });
  const items: Stored[] = [];
  const add = async (): Promise<void> => {
    const item = archive.item();
    const page = `<p>${items.length}</p>`.repeat(50);
    const number = await item.exchange({
      method: "GET",
      url: `http://site.test/${items.length}`,
      startedAt: 0,
      requestHeaders: [],
      status: 200,
      statusText: "OK",
      responseHeaders: [["content-type", "text/html"]],
      body: Buffer.from(page),
    });
    item.keep("page", number);
    const kept = item.commit([JSON.stringify({ page })], () => "{}");
    await archive.seal();
    const { captures, records } = await kept;
    items.push({ capture: captures[0]!, records: records!, page });
  };
  for (let n = 0; n < groups; n++) await add();
  return { store, blobs, items, add };
};

const assertReadable = async (blobs: Blobs, items: readonly Stored[]): Promise<void> => {
  for (const { capture, records, page } of items) {
    assert.equal(Buffer.from((await readCapture(blobs, capture)).body).toString(), page);
    const line = Buffer.from(await blobs.get(records.blob, records)).toString();
    assert.deepEqual(JSON.parse(line), { page });
  }
};

test("a group is one object, and its segments are found by their names", async (t) => {
  const { store, blobs, items } = await open(t, 3);
  assert.equal((await namesOf(store)).length, 3);
  const listed = await Array.fromAsync(blobs.list(""));
  assert.equal(listed.length, 12);
  assert.deepEqual(
    listed,
    listed.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  );
  for (const { name, size } of listed) {
    assert.equal((await blobs.get(name)).length, size);
    assert.equal(Buffer.concat(await Array.fromAsync(blobs.stream(name))).length, size);
    assert.equal((await blobs.get(name, { offset: size - 2, length: 9 })).length, 2);
    assert.equal((await blobs.get(name, { offset: size + 5, length: 9 })).length, 0);
  }
  assert.deepEqual(
    await namesOf(blobs, "jobs/7/rec"),
    listed.map(({ name }) => name).filter((name) => name.startsWith("jobs/7/records/")),
  );
  await assertReadable(blobs, items);
});

test("joined segments keep their names and bytes, also for readers that opened the packs before", async (t) => {
  const { store, blobs, items, add } = await open(t, 20);
  const before = await Array.fromAsync(blobs.list(""));
  const late = packedBlobs(store);
  await assertReadable(late, items);
  assert.equal((await blobs.join!("7", { least: 21 })).segments, 0);
  assert.equal((await blobs.join!("7")).segments, 20);
  assert.equal((await namesOf(store)).length, 5);
  assert.deepEqual(await Array.fromAsync(blobs.list("")), before);
  await assertReadable(blobs, items);
  await assertReadable(late, items);
  let reads = 0;
  const counted = packedBlobs({
    ...store,
    get: (...read) => {
      reads++;
      return store.get(...read);
    },
  });
  await assertReadable(counted, items);
  assert.ok(reads <= 5, `${reads} reads of joined objects and their map`);
  await add();
  await assertReadable(late, items);
  assert.equal((await blobs.join!("7", { least: 1 })).segments, 1);
  await assertReadable(packedBlobs(store), items);
});

test("removing everything leaves nothing, removing the pages leaves the records", async (t) => {
  for (const isJoined of [false, true]) {
    const { store, blobs, items } = await open(t, 4);
    if (isJoined) await blobs.join!("7", { least: 2 });
    await blobs.removeMany!(await namesOf(blobs, "jobs/7/captures/"));
    assert.deepEqual(await namesOf(blobs, "jobs/7/captures/"), []);
    const bytes = await Promise.all((await namesOf(store)).map((name) => store.get(name)));
    assert.ok(!Buffer.concat(bytes).includes("site.test/0"), "nothing of the pages is left");
    for (const { records, page } of items)
      assert.ok(Buffer.from(await blobs.get(records.blob, records)).includes(page));
    await assert.rejects(readCapture(blobs, items[0]!.capture), { code: "not-found" });
    await blobs.removeMany!(await namesOf(blobs));
    assert.deepEqual(await namesOf(store), []);
  }
});

test("one segment of many can be removed, or put again", async (t) => {
  const { blobs, items } = await open(t, 4);
  await blobs.join!("7", { least: 2 });
  const [first, second, ...others] = items;
  await blobs.remove(first!.capture.blob);
  await assertReadable(blobs, [second!, ...others]);
  await blobs.put(`${second!.capture.blob}.cdxj`, Buffer.from("repaired"));
  assert.equal(Buffer.from(await blobs.get(`${second!.capture.blob}.cdxj`)).toString(), "repaired");
  await assertReadable(blobs, [second!, ...others]);
  assert.equal((await namesOf(blobs)).length, 15);
});

test("a removal in the middle of a join wins, and a join after a crash does no harm", async (t) => {
  const { store, blobs, items } = await open(t, 4);
  const [removed, ...left] = items;
  const names = (await namesOf(blobs)).filter((name) => name.includes(removed!.capture.blob.slice(16, 47)));
  let isFirst = true;
  const disturbed = packedBlobs({
    ...store,
    async put(name, body) {
      if (isFirst && name.endsWith(".settled.jsonl.gz")) await blobs.removeMany!(names);
      isFirst &&= !name.endsWith(".settled.jsonl.gz");
      return await store.put(name, body);
    },
  });
  await disturbed.join!("7", { least: 2 });
  await assert.rejects(readCapture(blobs, removed!.capture), { code: "not-found" });
  await assertReadable(blobs, left);

  const dying = packedBlobs({
    ...store,
    removeMany: () => Promise.reject(new Error("killed")),
  });
  await assert.rejects(dying.join!("7", { least: 2 }), /killed/);
  await assertReadable(blobs, left);
  await blobs.join!("7", { least: 2 });
  await assertReadable(blobs, left);
  await blobs.removeMany!(await namesOf(blobs));
  assert.deepEqual(await namesOf(store), []);
});

test("names of packs say what is in them; other objects are stored alone", async (t) => {
  const parts = [
    { name: "jobs/j-1/captures/ab-000001.warc.gz", size: 10 },
    { name: "jobs/j-1/settled/ab-000001-0123456789abcdef.jsonl.gz", size: 7 },
  ];
  const name = packName(parts)!;
  assert.equal(name, "jobs/j-1/packs/ab-000001.c10.s7-0123456789abcdef");
  assert.deepEqual(
    partsOfPack(name)!.map(({ offset, name: part, size }) => [part, offset, size]),
    [
      [parts[0]!.name, 0, 10],
      [parts[1]!.name, 10, 7],
    ],
  );
  assert.equal(packName(parts.toReversed()), undefined);
  const { store, blobs } = await open(t);
  await blobs.putTogether!([
    { name: "jobs/7/a", chunks: [Buffer.from("a")] },
    { name: "jobs/8/b", chunks: [Buffer.from("b"), Buffer.from("c")] },
  ]);
  assert.deepEqual(await namesOf(store), ["jobs/7/a", "jobs/8/b"]);
  await assert.rejects(
    blobs.get("jobs/7/captures/ab-000001.warc.gz"),
    (error) => error instanceof BlobError && error.code === "not-found",
  );
});
