import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openFiles } from "../backends/files/open-files.ts";
import type { CaptureRef, Exchange } from "../domain/capture.ts";
import { packSegment } from "./pack-segment.ts";
import { readCapture } from "./read-capture.ts";
import { ArchiveError, sha256 } from "./stored-bytes.ts";
import { streamCapture } from "./stream-capture.ts";

const exchangeOf = (body: Buffer): Exchange => ({
  method: "GET",
  url: "http://example.com/a",
  startedAt: 0,
  requestHeaders: [],
  status: 200,
  statusText: "OK",
  responseHeaders: [
    ["Content-Type", "application/pdf"],
    ["X-Empty", ""],
  ],
  body,
});

const kit = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-stream-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const blobs = await openFiles(folder);
  const pack = async (body: Buffer): Promise<CaptureRef> => {
    const blob = "jobs/1/captures/w-1.warc.gz";
    const { bytes, places } = packSegment({ name: blob, job: "1", software: "x", openedAt: 0 }, 3).add([
      { exchange: exchangeOf(body) },
    ]);
    await blobs.put(blob, bytes);
    return { name: "page", url: "http://example.com/a", mediaType: "application/pdf", blob, ...places[0]! };
  };
  const store = async (body: Buffer): Promise<CaptureRef> => {
    const blob = "jobs/1/files/a.pdf";
    await blobs.put(blob, body);
    const place = { blob, offset: 0, length: body.length };
    return {
      name: "file",
      url: "http://example.com/a",
      mediaType: "application/pdf",
      digest: sha256(body),
      ...place,
    };
  };
  return { blobs, pack, store };
};

const LARGE = randomBytes(1_500_000);

for (const [what, body] of [
  ["nothing", Buffer.alloc(0)],
  ["a few bytes", Buffer.from("first\r\n\r\nsecond\r\n")],
  ["many bytes", LARGE],
] as const)
  test(`${what}, packed or as a file, is streamed as it is read`, async (t) => {
    const { blobs, pack, store } = await kit(t);
    for (const ref of [await pack(body), await store(body)]) {
      const { body: whole, ...head } = await readCapture(blobs, ref);
      const { body: pieces, size, ...streamed } = await streamCapture(blobs, ref);
      assert.deepEqual(streamed, head);
      assert.equal(size, body.length);
      assert.ok(Buffer.concat(await Array.fromAsync(pieces)).equals(Buffer.from(whole)));
    }
  });

test("the last piece of a changed body is never returned", async (t) => {
  const { blobs, pack, store } = await kit(t);
  for (const ref of [await pack(LARGE), await store(LARGE)]) {
    const bytes = Buffer.from(await blobs.get(ref.blob));
    bytes[ref.offset + ref.length - 100]! ^= 1;
    await blobs.put(ref.blob, bytes);
    let size = 0;
    await assert.rejects(
      async () => {
        const { body } = await streamCapture(blobs, ref);
        for await (const piece of body) size += piece.length;
      },
      (error) => error instanceof ArchiveError && error.code === "damaged" && error.blob === ref.blob,
    );
    assert.ok(size < LARGE.length);
  }
});

test("a truncated object is damaged", async (t) => {
  const { blobs, store } = await kit(t);
  const ref = await store(LARGE);
  await blobs.put(ref.blob, LARGE.subarray(0, 1000));
  const { body } = await streamCapture(blobs, ref);
  await assert.rejects(() => Array.fromAsync(body), { code: "damaged" });
});
