import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { caseName, writeFixture } from "./capture-case.ts";
import { listCases, readCase, readPages } from "./fixture.ts";

const fixtures = mkdtempSync(join(tmpdir(), "sluice-fixtures-"));
after(() => rmSync(fixtures, { recursive: true, force: true }));

const page = (name: string, mediaType: string, text: string) => ({
  name,
  url: `https://site.example/${name}`,
  status: 200,
  mediaType,
  text,
});
const head = {
  scraper: "s",
  input: { id: "1" },
  key: "1",
  capturedAt: "2026-01-02T03:04:05.000Z",
  outcome: "done",
} as const;
const expected = { records: [] };
const put = (name: string, ...pages: ReturnType<typeof page>[]) => {
  const folder = join(fixtures, name);
  return { name, folder, files: writeFixture(folder, { ...head, pages }, expected) };
};

test("a case reads back as written, in UTF-8 and with its line ends", () => {
  const pages = [
    page("detail", "text/html", '<meta charset="latin1">\r\nà la carte, 100 €\n'),
    page("detail", "text/html", "again"),
    page("data/all", "application/json", "{}"),
    page("feed", "application/rss+xml", "<rss/>"),
  ];
  const one = put("case", ...pages);
  assert.deepEqual(one.files, [
    "fixture.json",
    "expected.json",
    "detail.html",
    "detail-2.html",
    "data-all.json",
    "feed.xml",
  ]);
  const read = readCase(one);
  assert.deepEqual(readPages(read), pages);
  assert.deepEqual(read.expected, expected);
  assert.deepEqual(read.fixture.input, { id: "1" });
});

test("rewriting a case removes its old files", () => {
  put("again", page("a", "text/html", "1"), page("b", "text/html", "2"));
  const { folder } = put("again", page("a", "text/html", "3"));
  assert.deepEqual(readdirSync(folder).sort(), ["a.html", "expected.json", "fixture.json"]);
});

test("cases are listed by name; other folders are ignored", () => {
  put("b-case", page("a", "text/html", ""));
  mkdirSync(join(fixtures, "notes"));
  writeFileSync(join(fixtures, "README.md"), "");
  const names = listCases(fixtures).map(({ name }) => name);
  assert.deepEqual(names, names.toSorted());
  assert.ok(names.includes("b-case") && !names.includes("notes"));
  assert.deepEqual(listCases(join(fixtures, "no-such-folder")), []);
});

const broken: readonly (readonly [string, string, string])[] = [
  ["a fixture that is not JSON", "fixture.json", "{"],
  ["a fixture without pages", "fixture.json", '{"scraper":"s","key":"1"}'],
  [
    "a page outside of the folder",
    "fixture.json",
    '{"scraper":"s","key":"1","pages":[{"name":"a","url":"","file":"../a"}]}',
  ],
];
for (const [what, file, text] of broken)
  test(`${what} is refused by its name`, () => {
    const one = put("broken", page("a", "text/html", ""));
    writeFileSync(join(one.folder, file), text);
    assert.throws(
      () => readCase(one),
      ({ code, message }: Error & { code: string }) =>
        code === "bad-fixture" && message.includes(join("broken", file)),
    );
  });

for (const text of ["{", "[]", "{}", '{"records":"x"}', '{"records":[{"fields":{"a":{"status":"fine"}}}]}'])
  test(`an expectation that is ${text} is one that can be written anew, and its file is named`, () => {
    const one = put("unread", page("a", "text/html", ""));
    writeFileSync(join(one.folder, "expected.json"), text);
    const { expected: read, problem } = readCase(one);
    assert.equal(read, undefined);
    assert.ok(problem?.includes(join("unread", "expected.json")) && problem.includes("--update"), problem);
  });

test("file names are unique on every file system and never those of devices", () => {
  const { files } = put(
    "names",
    ...["aux", "Detail", "detail", "nul"].map((name) => page(name, "text/html", "")),
  );
  const stems = files.map((file) => file.split(".")[0]!.toLowerCase());
  assert.equal(new Set(files.map((file) => file.toLowerCase())).size, files.length);
  for (const device of ["con", "aux", "nul", "com1"]) {
    assert.ok(!stems.includes(device));
    assert.notEqual(caseName(device.toUpperCase()).toLowerCase(), device);
  }
});

test("a missing page is an error that names it", () => {
  const one = put("gone", page("a", "text/html", ""));
  rmSync(join(one.folder, "a.html"));
  assert.throws(() => readPages(readCase(one)), { code: "bad-fixture", message: /a\.html/ });
});

test("any key gives a folder name that is safe everywhere and recognisable", () => {
  assert.equal(caseName("0100000001"), "0100000001");
  assert.equal(caseName("https://site.example/a/b?x=1"), "site-example-a-b-x-1");
  assert.equal(caseName('{"name":"Zürich"}'), "name-Zurich");
  assert.equal(caseName("…"), "case");
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (key) => {
      assert.match(caseName(key), /^[A-Za-z0-9_][A-Za-z0-9_-]{0,59}$/);
      assert.equal(caseName(caseName(key)), caseName(key));
    }),
  );
});
