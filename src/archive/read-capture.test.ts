import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { openFiles } from "../backends/files/open-files.ts";
import type { CaptureRef, Exchange } from "../domain/capture.ts";
import { BlobError } from "../ports/blobs.ts";
import { packSegment } from "./pack-segment.ts";
import { openCapture, readCapture, readRanges } from "./read-capture.ts";
import { ArchiveError, sha256 } from "./stored-bytes.ts";

const exchange: Exchange = {
  method: "GET",
  url: "http://example.com/a",
  startedAt: 0,
  requestHeaders: [],
  status: 404,
  statusText: "Not Found",
  responseHeaders: [
    ["Content-Type", "text/html"],
    ["X-Empty", ""],
    ["Set-Cookie", "a=1; Path=/"],
    ["Set-Cookie", "b=2"],
    ["Content-Length", "26"],
  ],
  body: Buffer.from("first\r\n\r\nsecond\r\n\r\nthird\r\n"),
};

const blob = "jobs/1/captures/w-1.warc.gz";

const kit = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-read-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const blobs = await openFiles(folder);
  const { bytes, places } = packSegment({ name: blob, job: "1", software: "x", openedAt: 0 }, 3).add([
    { exchange },
  ]);
  await blobs.put(blob, bytes);
  const [place] = places;
  assert.ok(place !== undefined);
  const ref: CaptureRef = { name: "page", url: exchange.url, mediaType: "text/html", blob, ...place };
  return { blobs, bytes, ref };
};

const isDamaged = (error: unknown) =>
  error instanceof ArchiveError && error.code === "damaged" && error.blob === blob;

it("gives back url, status, headers and body", async (t) => {
  const { blobs, ref } = await kit(t);
  const { url, status, headers, body } = await readCapture(blobs, ref);
  assert.deepEqual(
    { url, status, headers },
    { url: exchange.url, status: 404, headers: exchange.responseHeaders },
  );
  assert.deepEqual(Buffer.from(body), exchange.body);
});

it("never returns other bytes than were stored, whichever byte of the record was changed", async (t) => {
  const { blobs, bytes, ref } = await kit(t);
  const whole = await readCapture(blobs, ref);
  let unnoticed = 0;
  for (let at = ref.offset; at < ref.offset + ref.length; at++) {
    const changed = Uint8Array.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 0x10;
    await blobs.put(blob, changed);
    const read = await readCapture(blobs, ref).catch((error: unknown) => {
      assert.ok(isDamaged(error), `byte ${at - ref.offset}`);
    });
    if (read === undefined) continue;
    assert.deepEqual(read, whole);
    unnoticed++;
  }
  // Six bytes of a gzip head (time, flags, system) and the padding before the checksum say nothing of the content.
  assert.ok(unnoticed <= 7);
});

it("reports damage if the segment was truncated, or the range or digest belongs to another capture", async (t) => {
  const { blobs, bytes, ref } = await kit(t);
  await assert.rejects(() => readCapture(blobs, { ...ref, offset: 0, length: ref.offset }), isDamaged);
  await assert.rejects(() => readCapture(blobs, { ...ref, digest: sha256(Buffer.from("other")) }), isDamaged);
  await blobs.put(blob, bytes.subarray(0, ref.offset + ref.length - 1));
  await assert.rejects(() => readCapture(blobs, ref), isDamaged);
});

it("says not-found when the segment is gone", async (t) => {
  const { blobs, ref } = await kit(t);
  await blobs.remove(blob);
  await assert.rejects(
    () => readCapture(blobs, ref),
    (error) => error instanceof BlobError && error.code === "not-found",
  );
});

it("reads many captures with neighbours in one read, each the same as when it is read alone", async (t) => {
  const { blobs } = await kit(t);
  const name = "jobs/1/captures/many.warc.gz";
  const exchanges = Array.from({ length: 20 }, (_, n) => ({
    exchange: { ...exchange, url: `http://example.com/${n}`, body: Buffer.from(`page ${n}`) },
  }));
  const packed = packSegment({ name, job: "1", software: "x", openedAt: 0 }, 3).add(exchanges);
  await blobs.put(name, packed.bytes);
  const refs = packed.places.map((place, n): CaptureRef => ({
    ...place,
    name: "page",
    url: `http://example.com/${n}`,
    mediaType: "",
    blob: name,
  }));
  let reads = 0;
  const counted = {
    ...blobs,
    get: (...of: Parameters<typeof blobs.get>) => {
      reads++;
      return blobs.get(...of);
    },
  };
  const found = await readRanges(counted, refs.toReversed());
  assert.equal(reads, 1);
  for (const ref of refs) {
    const bytes = found.get(ref);
    assert.ok(bytes instanceof Uint8Array);
    assert.deepEqual(openCapture(ref, bytes), await readCapture(blobs, ref));
  }
});

it("says of each of many captures whether it can be read", async (t) => {
  const { blobs, bytes, ref } = await kit(t);
  const gone: CaptureRef = { ...ref, blob: "jobs/1/captures/gone.warc.gz" };
  const past: CaptureRef = { ...ref, offset: bytes.length + 100_000 };
  const found = await readRanges(blobs, [ref, gone, past]);
  assert.ok(found.get(gone) instanceof BlobError);
  const [whole, nothing] = [found.get(ref), found.get(past)];
  assert.ok(whole instanceof Uint8Array && nothing instanceof Uint8Array);
  assert.equal(openCapture(ref, whole).status, 404);
  assert.throws(() => openCapture(past, nothing), isDamaged);
  for (let at = 0; at < ref.length; at++) {
    const changed: Buffer = Buffer.from(whole);
    changed[at] = whole[at]! ^ 0x55;
    try {
      // Some bytes of the gzip header have no meaning and may change.
      assert.deepEqual(openCapture(ref, changed), openCapture(ref, whole));
    } catch (error) {
      assert.ok(isDamaged(error), String(error));
    }
  }
});
