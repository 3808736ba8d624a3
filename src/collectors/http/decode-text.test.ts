import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { decodeText, detectCharset, readContentType } from "./decode-text.ts";
import { storedPage } from "./page.ts";
import { answer, openTestSession, openTestSite } from "./testing/test-site.ts";

const read = (bytes: Uint8Array, contentType = "text/html"): string => {
  const { mediaType, charset } = readContentType(contentType);
  const buffer = Buffer.from(bytes);
  return decodeText(buffer, detectCharset(buffer, mediaType, charset));
};

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const utf16 = (text: string): Buffer => Buffer.from(text, "utf16le");

const TABLE: readonly [what: string, bytes: Buffer, contentType: string, text: string][] = [
  ["plain ASCII", latin1("<p>x"), "text/html", "<p>x"],
  [
    "XML in UTF-16 without a mark",
    utf16('<?xml version="1.0"?><a>é</a>'),
    "text/xml",
    '<?xml version="1.0"?><a>é</a>',
  ],
  [
    "XML in big-endian UTF-16 without a mark",
    utf16("<?xml?><a>é</a>").swap16(),
    "text/xml; charset=utf-8",
    "<?xml?><a>é</a>",
  ],
  ["undeclared UTF-8", Buffer.from("é"), "text/html", "é"],
  ["undeclared bytes that are not UTF-8", latin1("caf\xe9 \x93x\x94 \x80"), "text/html", "café “x” €"],
  ["a header", latin1("\xe9"), "text/html; charset=ISO-8859-1", "é"],
  ["a quoted header", latin1("\xe9"), 'text/html; boundary=x; Charset = "windows-1252"', "é"],
  ["a header with an unknown label", Buffer.from("é"), "text/html; charset=bogus", "é"],
  [
    "a header over a meta",
    Buffer.from('<meta charset="iso-8859-1">é'),
    "text/html; charset=utf-8",
    '<meta charset="iso-8859-1">é',
  ],
  ["a mark over a header", Buffer.from("\uFEFFé"), "text/html; charset=iso-8859-1", "é"],
  ["a UTF-16 mark", Buffer.concat([Buffer.of(0xff, 0xfe), utf16("é")]), "text/html", "é"],
  [
    "a UTF-16 mark, big end first",
    Buffer.concat([Buffer.of(0xfe, 0xff), utf16("é").swap16()]),
    "text/html",
    "é",
  ],
  ["UTF-16 by header", utf16("<p>é"), "text/html; charset=utf-16le", "<p>é"],
  ["a meta", latin1('<meta charset="windows-1251">\xcf'), "text/html", '<meta charset="windows-1251">П'],
  ["a bare meta", latin1("<META CHARSET=koi8-r >\xd0"), "text/html", "<META CHARSET=koi8-r >п"],
  [
    "an http-equiv",
    latin1('<meta content="text/html; charset=shift_jis" http-equiv="Content-Type">\x83\x65'),
    "text/html",
    '<meta content="text/html; charset=shift_jis" http-equiv="Content-Type">テ',
  ],
  [
    "a description that speaks of charsets",
    Buffer.from('<meta name="d" content="charset=koi8-r">é'),
    "text/html",
    '<meta name="d" content="charset=koi8-r">é',
  ],
  [
    "a meta in a comment",
    Buffer.from("<!-- <meta charset=koi8-r> -->é"),
    "text/html",
    "<!-- <meta charset=koi8-r> -->é",
  ],
  ["a meta that claims UTF-16", Buffer.from("<meta charset=utf-16>é"), "text/html", "<meta charset=utf-16>é"],
  [
    "a meta after 1,024 bytes",
    Buffer.from(`${" ".repeat(1024)}<meta charset=koi8-r>é`),
    "text/html",
    `${" ".repeat(1024)}<meta charset=koi8-r>é`,
  ],
  [
    "an XML declaration",
    latin1('<?xml version="1.0" encoding="iso-8859-2"?>\xb1'),
    "application/xml",
    '<?xml version="1.0" encoding="iso-8859-2"?>ą',
  ],
  ["JSON", Buffer.from('{"a":"é"}'), "application/json", '{"a":"é"}'],
  ["broken UTF-8 that was declared", latin1("a\xff"), "text/html; charset=utf-8", "a\uFFFD"],
  ["nothing at all", Buffer.alloc(0), "", ""],
];

for (const [what, bytes, contentType, text] of TABLE) {
  test(`the charset is found: ${what}`, () => assert.equal(read(bytes, contentType), text));
}

test("undeclared UTF-8 text of any kind is decoded unchanged", () => {
  const plain = fc.string({ unit: "grapheme" }).filter((text) => !/[<\uFEFF]/.test(text));
  fc.assert(
    fc.property(plain, (text) => assert.equal(read(Buffer.from(text)), Buffer.from(text).toString())),
  );
});

test("a media type is read in lower case without its parameters", () => {
  assert.deepEqual(readContentType(" Text/HTML ; charset=UTF-8"), {
    mediaType: "text/html",
    charset: "UTF-8",
  });
  assert.deepEqual(readContentType("application/pdf"), { mediaType: "application/pdf" });
  assert.deepEqual(readContentType(undefined), { mediaType: "" });
});

test("NUL characters are left out, whatever the text's charset", async () => {
  for (const [bytes, type] of [
    [Buffer.from("h\0\0i\0"), "text/html"],
    [Buffer.from("h\0é\0"), "text/html; charset=utf-8"],
    [Buffer.from("h\0\xe9", "latin1"), "text/plain; charset=windows-1252"],
    [Buffer.from("\uFEFFh\0é", "utf16le"), "text/html"],
  ] as const) {
    await using site = await openTestSite((_, response) => answer(response, bytes, { "content-type": type }));
    await using session = openTestSession(site.url);
    const page = await session.http.get("/");
    assert.match(page.text, /^h[ié]$/);
    const stored = { ...session.archived[0]!, headers: session.archived[0]!.responseHeaders };
    assert.equal(storedPage("page", stored).text, page.text, "the same from the archive");
  }
});
