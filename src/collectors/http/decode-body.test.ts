import assert from "node:assert/strict";
import { test } from "node:test";
import zlib from "node:zlib";
import { decodeBody, decodeBodyNow } from "./decode-body.ts";
import { answer, failureOf, openTestSession, openTestSite } from "./testing/test-site.ts";

const TEXT = Buffer.from("<p>Grüße aus dem Rathaus</p>".repeat(50));
/** A member whose header has every optional part: an extra field, a name, a comment, a checksum. */
const named = (member: Buffer): Buffer => {
  const header = Buffer.from(member.subarray(0, 10));
  header[3] = 2 | 4 | 8 | 16;
  const extra = Buffer.from([2, 0, 7, 7]);
  return Buffer.concat([
    header,
    extra,
    Buffer.from("page.html\0comment\0"),
    Buffer.alloc(2),
    member.subarray(10),
  ]);
};

const ENCODED: Readonly<Record<string, readonly [header: string, bytes: Buffer]>> = {
  gzip: ["gzip", zlib.gzipSync(TEXT)],
  "gzip under its old name": ["X-GZIP", zlib.gzipSync(TEXT)],
  "gzip in two members": [
    "gzip",
    Buffer.concat([zlib.gzipSync(TEXT.subarray(0, 99)), zlib.gzipSync(TEXT.subarray(99))]),
  ],
  "gzip with text behind it": ["gzip", Buffer.concat([zlib.gzipSync(TEXT), Buffer.from("<!-- cached -->")])],
  "gzip with a line end behind it": ["gzip", Buffer.concat([zlib.gzipSync(TEXT), Buffer.from("\r\n")])],
  "gzip with zeros behind it": ["gzip", Buffer.concat([zlib.gzipSync(TEXT), Buffer.alloc(9)])],
  "gzip with half a magic number behind it": ["gzip", Buffer.concat([zlib.gzipSync(TEXT), Buffer.of(0x1f)])],
  "gzip with what is nearly gzip behind it": [
    "gzip",
    Buffer.concat([zlib.gzipSync(TEXT), Buffer.of(0x1f, 0x8b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)]),
  ],
  "gzip in two members with text behind them": [
    "gzip",
    Buffer.concat([zlib.gzipSync(TEXT.subarray(0, 99)), zlib.gzipSync(TEXT.subarray(99)), Buffer.from("x")]),
  ],
  "gzip with a file name, with text behind it": [
    "gzip",
    Buffer.concat([named(zlib.gzipSync(TEXT)), Buffer.from("x")]),
  ],
  "gzip in capitals": ["GZip", zlib.gzipSync(TEXT)],
  "deflate with bytes behind it": ["deflate", Buffer.concat([zlib.deflateSync(TEXT), Buffer.from("x")])],
  "brotli with bytes behind it": ["br", Buffer.concat([zlib.brotliCompressSync(TEXT), Buffer.from("x")])],
  deflate: ["deflate", zlib.deflateSync(TEXT)],
  "deflate without its header": ["deflate", zlib.deflateRawSync(TEXT)],
  brotli: ["br", zlib.brotliCompressSync(TEXT)],
  zstd: ["zstd", zlib.zstdCompressSync(TEXT)],
  "one inside the other": ["gzip, br", zlib.brotliCompressSync(zlib.gzipSync(TEXT))],
  "nothing, said in many words": ["identity, utf-8,", TEXT],
};

for (const [what, [header, bytes]] of Object.entries(ENCODED)) {
  test(`${what} is decoded, and archived as received`, async () => {
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

  test(`a ${coding} body is too large one byte over the limit, and fine at it, inline and on a thread`, async () => {
    for (const size of [5000, 1_500_000]) {
      const bytes = codingsOf(Buffer.alloc(size, "ab"))[coding]!;
      assert.equal((await decodeBody(bytes, coding, size)).length, size);
      await assert.rejects(async () => decodeBody(bytes, coding, size - 1), { kind: "too-large" });
    }
  });
}

test("gzip with trailing bytes respects the limit, its checksum and its members", async () => {
  const text = Buffer.alloc(1_500_000, "ab");
  const [whole, junk] = [zlib.gzipSync(text), Buffer.from("junk")];
  const body = Buffer.concat([whole, junk]);
  assert.equal((await decodeBody(body, "gzip", text.length)).length, text.length);
  assert.equal(decodeBodyNow(body, "gzip", text.length).length, text.length);
  await assert.rejects(async () => decodeBody(body, "gzip", text.length - 1), { kind: "too-large" });
  assert.throws(() => decodeBodyNow(body, "gzip", text.length - 1), { kind: "too-large" });
  const wrongSum = Buffer.concat([whole.subarray(0, -8), Buffer.alloc(8, 1), junk]);
  await assert.rejects(async () => decodeBody(wrongSum, "gzip", 1e7), { kind: "bad-content" });
  const halfMember = Buffer.concat([whole, whole.subarray(0, -20)]);
  await assert.rejects(async () => decodeBody(halfMember, "gzip", 1e7), { kind: "bad-content" });
  const crowd = Buffer.concat([...Array.from({ length: 1001 }, () => zlib.gzipSync("")), junk]);
  assert.throws(() => decodeBodyNow(crowd, "gzip", 1e7), { kind: "bad-content" });
});

test("an unknown encoding is bad content, and so is one applied too often", async () => {
  await assert.rejects(async () => decodeBody(TEXT, "compress", 1e6), { kind: "bad-content" });
  const wrapped = Array.from({ length: 5 }).reduce<Buffer>((bytes) => zlib.gzipSync(bytes), TEXT);
  await assert.rejects(async () => decodeBody(wrapped, "gzip,gzip,gzip,gzip,gzip", 1e6), {
    kind: "bad-content",
  });
});

test("an empty body is empty whatever its encoding", async () => {
  assert.equal((await decodeBody(Buffer.alloc(0), "gzip", 10)).length, 0);
});

test("a decompression bomb of a gigabyte is too large and uses little memory", async () => {
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
