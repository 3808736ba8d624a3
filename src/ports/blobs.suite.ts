import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { runBlobsRole, startBlobsRole } from "./blobs-roles.suite.ts";
import { BlobError, type Blobs, type BlobErrorCode } from "./blobs.ts";

type Open = (folder: string) => Promise<Blobs> | Blobs;

const MB = 1024 * 1024;
const MOST_HELD = 100 * MB;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const bytes = (value: string): Uint8Array => Buffer.from(value);

const code = (expected: BlobErrorCode) => (error: unknown) =>
  error instanceof BlobError && error.code === expected;

const namesOf = async (blobs: Blobs, prefix: string): Promise<string[]> => {
  const names: string[] = [];
  for await (const { name } of blobs.list(prefix)) names.push(name);
  return names;
};

/** Its length and every byte of it tell which version it is. */
const version = (n: number): Uint8Array => new Uint8Array(300_000 + n).fill(n);

const drain = async (stream: AsyncIterable<Uint8Array>): Promise<void> => {
  for await (const chunk of stream) assert.ok(chunk.length > 0);
};

async function* chunks(...parts: string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield bytes(part);
}

/**
 * The contract of `Blobs`. `open` is called with an empty folder that is removed afterwards; opening the same folder again,
 * also from another process, must show the same objects. For the kill tests the test file is started once more as a
 * child, with a role in its environment.
 */
export const blobsSuite = (name: string, open: Open): void => {
  if (runBlobsRole(open)) return;

  const fresh = async (t: TestContext) => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-blobs-"));
    t.after(() => rm(folder, { recursive: true, force: true }));
    return { folder, blobs: await open(folder) };
  };

  describe(`blobs: ${name}`, () => {
    it("returns what was put, also after it was opened again", async (t) => {
      const { folder, blobs } = await fresh(t);
      assert.deepEqual(await blobs.put("jobs/1/a.bin", bytes("hello")), { size: 5 });
      assert.deepEqual(await blobs.put("jobs/1/b.bin", chunks("he", "", "llo!")), { size: 6 });
      assert.deepEqual(await blobs.put("empty", new Uint8Array()), { size: 0 });
      const again = await open(folder);
      assert.equal(text(await again.get("jobs/1/a.bin")), "hello");
      assert.equal(text(await again.get("jobs/1/b.bin")), "hello!");
      assert.equal((await again.get("empty")).length, 0);
    });

    it("returns ranges, cut at the end of the object", async (t) => {
      const { blobs } = await fresh(t);
      await blobs.put("digits", bytes("0123456789"));
      const range = async (offset: number, length: number) =>
        text(await blobs.get("digits", { offset, length }));
      assert.equal(await range(0, 3), "012");
      assert.equal(await range(4, 3), "456");
      assert.equal(await range(8, 100), "89");
      assert.equal(await range(10, 5), "");
      assert.equal(await range(99, 5), "");
      assert.equal(await range(3, 0), "");
    });

    it("reports not-found for a missing object, and removing it is no error", async (t) => {
      const { blobs } = await fresh(t);
      await blobs.put("a/b", bytes("x"));
      for (const missing of ["nothing", "a", "a/b/c", "a/c"]) {
        await assert.rejects(() => blobs.get(missing), code("not-found"), missing);
        await assert.rejects(() => blobs.get(missing, { offset: 0, length: 1 }), code("not-found"), missing);
        await assert.rejects(() => drain(blobs.stream(missing)), code("not-found"), missing);
        await blobs.remove(missing);
      }
      assert.equal(text(await blobs.get("a/b")), "x");
    });

    it("removes an object and no other", async (t) => {
      const { blobs } = await fresh(t);
      await blobs.put("a/1", bytes("x"));
      await blobs.put("a/2", bytes("y"));
      await blobs.remove("a/1");
      await assert.rejects(() => blobs.get("a/1"), code("not-found"));
      assert.deepEqual(await namesOf(blobs, ""), ["a/2"]);
    });

    it("lists by any prefix, in byte order of the whole name, with sizes", async (t) => {
      const { blobs } = await fresh(t);
      const names = ["a-b", "a.txt", "a/b", "a/c/d", "a/c-d", "a0", "B", "ab/c", "b"];
      await Promise.all(names.map((blob) => blobs.put(blob, bytes(blob))));
      assert.deepEqual(await namesOf(blobs, ""), [
        "B",
        "a-b",
        "a.txt",
        "a/b",
        "a/c-d",
        "a/c/d",
        "a0",
        "ab/c",
        "b",
      ]);
      assert.deepEqual(await namesOf(blobs, "a/"), ["a/b", "a/c-d", "a/c/d"]);
      assert.deepEqual(await namesOf(blobs, "a/c"), ["a/c-d", "a/c/d"]);
      assert.deepEqual(await namesOf(blobs, "ab/c"), ["ab/c"]);
      for (const none of ["../", "/", "a/c/d/", "zz"]) assert.deepEqual(await namesOf(blobs, none), [], none);
      for await (const { name: blob, size } of blobs.list("")) assert.equal(size, blob.length);
    });

    it("every verb refuses names that lead out of the store", async (t) => {
      const { blobs } = await fresh(t);
      const bad = [
        "",
        ".",
        "..",
        "../x",
        "a/../../x",
        "/etc/x",
        "a//b",
        "a/",
        "a\0b",
        "a\\b",
        ".hidden",
        "a/.b",
        "ä",
        "a b",
      ];
      for (const blob of [...bad, "x".repeat(2_000)]) {
        await assert.rejects(() => blobs.put(blob, bytes("x")), code("bad-name"), blob);
        await assert.rejects(() => blobs.get(blob), code("bad-name"), blob);
        await assert.rejects(() => drain(blobs.stream(blob)), code("bad-name"), blob);
        await assert.rejects(() => blobs.remove(blob), code("bad-name"), blob);
      }
      assert.deepEqual(await namesOf(blobs, ""), []);
    });

    it("replaces an object in one step: a reader sees one version or the other", async (t) => {
      const { blobs } = await fresh(t);
      await blobs.put("manifest", version(0));
      const writing = { isOver: false };
      const reading = (async () => {
        const seen = new Set<number>();
        while (!writing.isOver || seen.size === 0) {
          const read = await blobs.get("manifest");
          assert.deepEqual(read.length, 300_000 + (read[0] ?? -1));
          assert.ok(read.every((byte) => byte === read[0]));
          seen.add(read.length);
        }
      })();
      for (let n = 1; n <= 30; n++) await blobs.put("manifest", version(n));
      writing.isOver = true;
      await reading;
      assert.deepEqual(await blobs.put("manifest", version(30)), { size: 300_030 });
      assert.deepEqual(Buffer.from(await blobs.get("manifest")), Buffer.from(version(30)));
    });

    it("accepts many concurrent puts, into folders that do not exist yet", async (t) => {
      const { folder, blobs } = await fresh(t);
      const other = await open(folder);
      const names = Array.from({ length: 100 }, (_, i) => `x/${i % 7}/y/${String(i).padStart(3, "0")}`);
      await Promise.all(names.map((blob, i) => (i % 2 ? blobs : other).put(blob, bytes(`body of ${blob}`))));
      assert.deepEqual(await namesOf(blobs, ""), names.toSorted());
      for (const blob of names) assert.equal(text(await blobs.get(blob)), `body of ${blob}`);
    });

    it("shows nothing of a put whose body throws, and throws the body's own error", async (t) => {
      const { folder, blobs } = await fresh(t);
      await blobs.put("kept", bytes("old"));
      const broken = Object.assign(new Error("the connection broke"), { code: "ENOSPC" });
      async function* breaking(): AsyncGenerator<Uint8Array> {
        yield new Uint8Array(100_000);
        throw broken;
      }
      await assert.rejects(
        () => blobs.put("new", breaking()),
        (error) => error === broken,
      );
      await assert.rejects(
        () => blobs.put("kept", breaking()),
        (error) => error === broken,
      );
      assert.deepEqual(await namesOf(await open(folder), ""), ["kept"]);
      assert.equal(text(await blobs.get("kept")), "old");
    });

    it("keeps complete puts, and shows nothing of a put that SIGKILL interrupted", async (t) => {
      const { folder, blobs } = await fresh(t);
      const child = startBlobsRole(t, "half-put", folder);
      await child.line("half");
      await child.kill();
      const after = await open(folder);
      assert.equal(text(await after.get("finished")), "durable");
      assert.deepEqual(await namesOf(blobs, ""), ["finished"]);
      await assert.rejects(() => after.get("cut"), code("not-found"));
    });

    it("shows a whole version, the last one confirmed or a later one, after SIGKILL at any moment", async (t) => {
      for (const confirmed of [1, 2, 3, 5, 8]) {
        const { folder } = await fresh(t);
        const child = startBlobsRole(t, "rewrite", folder);
        await child.line(`put ${confirmed}`);
        await child.kill();
        const read = await (await open(folder)).get("manifest");
        assert.equal(read.length, 500_000);
        assert.ok(read.every((byte) => byte === read[0]));
        assert.ok((read[0] ?? 0) >= confirmed);
      }
    });

    it("streams a big object in and out with flat memory", async (t) => {
      const { blobs } = await fresh(t);
      const total = 256;
      const base = process.memoryUsage().arrayBuffers;
      let most = 0;
      const held = () => process.memoryUsage().arrayBuffers - base;
      const look = () => {
        // On a busy machine, unreferenced memory may not have been collected yet.
        if (held() > MOST_HELD) collectGarbage();
        most = Math.max(most, held());
      };
      async function* big(): AsyncGenerator<Uint8Array> {
        for (let i = 0; i < total; i++) {
          look();
          yield Buffer.alloc(MB, i);
        }
      }
      assert.deepEqual(await blobs.put("big", big()), { size: total * MB });
      let at = 0;
      for await (const chunk of blobs.stream("big")) {
        look();
        assert.equal(chunk[0], Math.floor(at / MB));
        at += chunk.length;
      }
      assert.equal(at, total * MB);
      assert.ok(most <= MOST_HELD, `held ${Math.round(most / MB)} MB of ${total}`);
    });
  });
};
