import assert from "node:assert/strict";
import { test } from "node:test";
import zlib from "node:zlib";
import { storedPage } from "./stored-page.ts";
import { answer, openTestSession, openTestSite } from "./testing/test-site.ts";

const TEXT = "<meta charset=windows-1252><p>Grüße, 5 €</p>";
const LATIN = Buffer.from("<meta charset=windows-1252><p>Gr\xfc\xdfe, 5 \x80</p>", "latin1");

const SENT: Readonly<Record<string, readonly [body: Buffer, headers: Readonly<Record<string, string>>]>> = {
  "as it is": [LATIN, { "content-type": "text/html" }],
  "in UTF-8, by its header": [Buffer.from(TEXT), { "content-type": "text/html; charset=utf-8" }],
  "with a byte order mark": [Buffer.from(`\ufeff${TEXT}`), { "content-type": "text/html" }],
  "in gzip": [zlib.gzipSync(LATIN), { "content-type": "text/html", "Content-Encoding": "gzip" }],
  "in bare deflate": [
    zlib.deflateRawSync(LATIN),
    { "content-type": "text/html", "content-encoding": "deflate" },
  ],
  "in brotli around gzip": [
    zlib.brotliCompressSync(zlib.gzipSync(LATIN)),
    { "content-type": "Text/HTML", "content-encoding": "gzip, br" },
  ],
  "in zstd": [zlib.zstdCompressSync(LATIN), { "content-type": "text/html", "content-encoding": "zstd" }],
  "as a gzip file": [zlib.gzipSync(LATIN), { "content-type": "application/x-gzip" }],
  "without a type, empty": [Buffer.alloc(0), { "content-encoding": "gzip" }],
};

for (const [how, [body, headers]] of Object.entries(SENT)) {
  test(`a page that came ${how} is read from the archive as it was when it came`, async () => {
    await using site = await openTestSite((_, response) => answer(response, body, headers));
    await using session = openTestSession(site.url);
    const page = await session.http.get("/");
    const { url, status, responseHeaders, body: wire } = session.archived[0]!;
    const { mediaType, text } = page;
    const stored = storedPage("detail", { url, status, headers: responseHeaders, body: wire });
    assert.deepEqual(stored, { name: "detail", url: page.url, status: 200, mediaType, text });
    if (body.length > 0) assert.equal(text, TEXT);
  });
}

test("a body that is not what its encoding says is told as such", () => {
  const stored = { url: "http://example.com/", status: 200, body: Buffer.from("<p>plain</p>") };
  assert.throws(() => storedPage("p", { ...stored, headers: [["Content-Encoding", "gzip"]] }), {
    name: "BodyError",
    kind: "bad-content",
  });
});
