import assert from "node:assert/strict";
import { test } from "node:test";
import zlib from "node:zlib";
import { decodeBody } from "./decode-body.ts";
import { answer, failureOf, openTestSession, openTestSite } from "./test-site.ts";

const TEXT = Buffer.from("<p>Grüße aus dem Rathaus</p>".repeat(50));
const ENCODED: Readonly<Record<string, readonly [header: string, bytes: Buffer]>> = {
  gzip: ["gzip", zlib.gzipSync(TEXT)],
  "gzip under its old name": ["X-GZIP", zlib.gzipSync(TEXT)],
  "gzip in two members": [
    "gzip",
    Buffer.concat([zlib.gzipSync(TEXT.subarray(0, 99)), zlib.gzipSync(TEXT.subarray(99))]),
  ],
  deflate: ["deflate", zlib.deflateSync(TEXT)],
  "deflate without its header": ["deflate", zlib.deflateRawSync(TEXT)],
  brotli: ["br", zlib.brotliCompressSync(TEXT)],
  zstd: ["zstd", zlib.zstdCompressSync(TEXT)],
  "one inside the other": ["gzip, br", zlib.brotliCompressSync(zlib.gzipSync(TEXT))],
  "nothing, said in many words": ["identity, utf-8,", TEXT],
};

for (const [what, [header, bytes]] of Object.entries(ENCODED)) {
  test(`${what} is decoded, and archived as it came`, async () => {
    await using site = await openTestSite((_, response) =>
      answer(response, bytes, { "content-encoding": header }),
    );
    await using session = openTestSession(site.url);
    const page = await session.http.get("/");
    assert.equal(page.text, TEXT.toString());
    assert.deepEqual(session.archived[0]?.body, bytes);
    assert.equal(session.bytes, bytes.length);
  });
}

const codingsOf = (bytes: Buffer): Readonly<Record<string, Buffer>> => ({
  gzip: zlib.gzipSync(bytes),
  deflate: zlib.deflateSync(bytes),
  br: zlib.brotliCompressSync(bytes),
  zstd: zlib.zstdCompressSync(bytes),
});

for (const coding of ["gzip", "deflate", "br", "zstd"]) {
  test(`a truncated or mislabelled ${coding} body is bad content`, async () => {
    const whole = codingsOf(TEXT)[coding]!;
    for (const bytes of [whole.subarray(0, -5), Buffer.from("<p>plain</p>")]) {
      await using site = await openTestSite((_, response) =>
        answer(response, bytes, { "content-encoding": coding }),
      );
      await using session = openTestSession(site.url);
      assert.equal((await failureOf(() => session.http.get("/"))).kind, "bad-content");
    }
  });

  test(`a ${coding} body is too large one byte over the cap, and fine at it, on the spot and on a thread`, async () => {
    for (const size of [5000, 1_500_000]) {
      const bytes = codingsOf(Buffer.alloc(size, "ab"))[coding]!;
      assert.equal((await decodeBody(bytes, coding, size)).length, size);
      await assert.rejects(async () => decodeBody(bytes, coding, size - 1), { kind: "too-large" });
    }
  });
}

test("an encoding nobody knows is bad content, and so is one wrapped too often", async () => {
  await assert.rejects(async () => decodeBody(TEXT, "compress", 1e6), { kind: "bad-content" });
  const wrapped = Array.from({ length: 5 }).reduce<Buffer>((bytes) => zlib.gzipSync(bytes), TEXT);
  await assert.rejects(async () => decodeBody(wrapped, "gzip,gzip,gzip,gzip,gzip", 1e6), {
    kind: "bad-content",
  });
});

test("an empty body is empty whatever its encoding", async () => {
  assert.equal((await decodeBody(Buffer.alloc(0), "gzip", 10)).length, 0);
});

test("a bomb of a gigabyte is too large and leaves no crater", async () => {
  const bomb = Buffer.concat(Array<Buffer>(1024).fill(zlib.gzipSync(Buffer.alloc(1024 * 1024))));
  await using site = await openTestSite((_, response) =>
    answer(response, bomb, { "content-encoding": "gzip" }),
  );
  await using session = openTestSession(site.url, { limits: { bodyBytes: 5e6, decodedBytes: 20e6 } });
  const before = process.resourceUsage().maxRSS;
  const failure = await failureOf(() => session.http.get("/"));
  assert.equal(failure.kind, "too-large");
  const grownMegabytes = (process.resourceUsage().maxRSS - before) / 1024;
  assert.ok(grownMegabytes < 200, `grew by ${grownMegabytes} MB`);
  assert.equal(session.archived.length, 1, "what came over the wire is whole and small");
});

test("a zstd frame that asks for a huge window is refused", async () => {
  const wide = zlib.zstdCompressSync(Buffer.alloc(20_000_000), {
    params: { [zlib.constants.ZSTD_c_windowLog]: 24, [zlib.constants.ZSTD_c_contentSizeFlag]: 0 },
  });
  await assert.rejects(async () => decodeBody(wide, "zstd", 1e9), { kind: "bad-content" });
});
