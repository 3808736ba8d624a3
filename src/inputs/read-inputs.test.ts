import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { InputFormat, InputRow } from "./input-format.ts";
import { readInputs } from "./read-inputs.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-inputs-"));
});
after(() => rm(folder, { recursive: true }));

const collect = async (
  source: Parameters<typeof readInputs>[0],
  format?: InputFormat,
): Promise<InputRow[]> => {
  const rows: InputRow[] = [];
  for await (const batch of readInputs(source, format === undefined ? {} : { format })) {
    assert.ok(batch.length > 0);
    rows.push(...batch);
  }
  return rows;
};

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const streamed = (text: string, size = 3) => inPieces(new TextEncoder().encode(text), size);

const file = async (name: string, content: string | Uint8Array): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
};

const values = (rows: readonly InputRow[]) => rows.map((row) => ("value" in row ? row.value : row));

describe("the csv-spectrum files", () => {
  const spectrum = new URL("../../../shared/testdata/csv/csv-spectrum/", import.meta.url);
  const skip = existsSync(spectrum) ? false : "no shared testdata/csv beside the checkout";
  const names = skip === false ? readdirSync(new URL("csvs/", spectrum)) : [];
  test("all test files exist", { skip }, () => assert.equal(names.length, 11));
  for (const name of names) {
    test(`${name} gives the expected rows`, async () => {
      let text = readFileSync(new URL(`csvs/${name}`, spectrum), "utf8");
      // The copy in testdata has lost its carriage returns, which its expectation still has.
      if (name.endsWith("_crlf.csv")) text = text.replace(/\r?\n/g, "\r\n");
      const expected: unknown = JSON.parse(
        readFileSync(new URL(`json/${name.replace(/csv$/, "json")}`, spectrum), "utf8"),
      );
      assert.deepEqual(values(await collect(streamed(text), "csv")), expected);
    });
  }
});

describe("the format", () => {
  const rows = [{ url: "https://a.example/1,2" }, { url: "https://a.example/3" }];

  test("the format is recognised by the file's name, compressed or not", async () => {
    const csv = "parcel;name\n1;a\n";
    assert.deepEqual(values(await collect(await file("a.csv", csv))), [{ parcel: "1", name: "a" }]);
    assert.deepEqual(values(await collect(await file("a.csv.gz", gzipSync(csv)))), [
      { parcel: "1", name: "a" },
    ]);
    assert.deepEqual(values(await collect(await file("a.tsv", "a,b\tc\n1\t2\n"))), [{ "a,b": "1", c: "2" }]);
    assert.deepEqual(values(await collect(await file("a.jsonl", '{"a":1}\n'))), [{ a: 1 }]);
    assert.deepEqual(values(await collect(await file("a.urls", "x\n"))), [{ url: "x" }]);
  });

  for (const [what, text] of [
    ["a list of URLs", "\n# of today\nhttps://a.example/1,2\r\n\n  https://a.example/3"],
    ["NDJSON", '{"url":"https://a.example/1,2"}\n\n{"url":"https://a.example/3"}'],
    ["a JSON array", '\n[{"url":"https://a.example/1,2"},\n {"url":"https://a.example/3"}]\n'],
    ["CSV", 'url\n"https://a.example/1,2"\nhttps://a.example/3'],
    ["CSV with a byte order mark", '\uFEFFurl\r\n"https://a.example/1,2"\r\nhttps://a.example/3\r\n'],
  ] as const) {
    test(`${what} is recognised by its beginning, in chunks of any size and in UTF-16 too`, async () => {
      for (const size of [1, 2, 7, 1000]) assert.deepEqual(values(await collect(streamed(text, size))), rows);
      assert.deepEqual(values(await collect(inPieces(gzipSync(text), 5))), rows);
      const utf16 = Buffer.from(`\uFEFF${text.replace(/^\uFEFF/, "")}`, "utf16le");
      assert.deepEqual(values(await collect(inPieces(utf16, 64))), rows);
    });
  }
});

const outcome = async (text: string, format: InputFormat) =>
  (await collect(streamed(text), format)).map((row) => [row.line, "value" in row ? row.value : "problem"]);

describe("a bad row is a problem at its line, and the others are read", () => {
  test("in CSV", async () => {
    assert.deepEqual(await outcome('a,b\n1,2\n3\n4,5,6\n7,"8\n9,10\n', "csv"), [
      [2, { a: "1", b: "2" }],
      [3, "problem"],
      [4, "problem"],
      [5, "problem"],
      [6, { a: "9", b: "10" }],
    ]);
  });

  test("in NDJSON", async () => {
    assert.deepEqual(await outcome('{"a":1}\n{"a":\n\n[1]\n"x"\nnull\n{"a":2}', "ndjson"), [
      [1, { a: 1 }],
      [2, "problem"],
      [4, "problem"],
      [5, "problem"],
      [6, "problem"],
      [7, { a: 2 }],
    ]);
  });

  test("in a JSON array", async () => {
    assert.deepEqual(await outcome('[{"a":"},[\\""},\n1,\n{b},,\n\n{"a":{"c":[2]}}\n]', "json"), [
      [1, { a: '},["' }],
      [2, "problem"],
      [3, "problem"],
      [3, "problem"],
      [5, { a: { c: [2] } }],
    ]);
    assert.deepEqual(await outcome("[]", "json"), []);
    assert.deepEqual(await outcome('[{"a":1},\n{"a":2}', "json"), [
      [1, { a: 1 }],
      [2, "problem"],
    ]);
  });

  test("in a list of URLs longer lines than any URL are refused", async () => {
    const text = `a\n${"x".repeat(3 * 1024 * 1024)}\nb\n`;
    assert.deepEqual(
      (await collect(streamed(text, 100_000), "urls")).map((row) => [row.line, "value" in row]),
      [
        [1, true],
        [2, false],
        [3, true],
      ],
    );
  });
});

const refused = (
  source: Parameters<typeof readInputs>[0],
  expected: { code: string; line?: number },
  format?: InputFormat,
) => assert.rejects(collect(source, format), { name: "InputError", ...expected });

describe("inputs that cannot be read as a whole are an error with a code, the file and the line", () => {
  test("no such file, a folder", async () => {
    await refused(join(folder, "none.csv"), { code: "not-found" });
    await refused(folder, { code: "unreadable" });
  });

  test("nothing in it", async () => {
    await refused(await file("empty.csv", ""), { code: "no-header", line: 1 });
    await refused(streamed(" \n"), { code: "empty" });
    assert.deepEqual(await collect(await file("empty.ndjson", "")), []);
  });

  test("a CSV without a line of names", async () => {
    await refused(streamed("https://a.example/,x\n"), { code: "no-header", line: 1 }, "csv");
    await refused(streamed("\n0012,17\n0013,18\n"), { code: "no-header", line: 2 });
  });

  test("a CSV whose names are empty, doubled or unusable", async () => {
    await refused(streamed("a,,c\n"), { code: "bad-header", line: 1 });
    await refused(streamed("\r\na,b, a\r\n1,2,3"), { code: "bad-header", line: 2 });
    await refused(streamed('a,"b\n1,2\n'), { code: "bad-header", line: 1 });
    await refused(streamed("__proto__,b\n1,2\n"), { code: "bad-header", line: 1 });
  });

  test("another encoding than UTF-8 or UTF-16", async () => {
    const latin1 = Buffer.from("a,b\n1,2\n3,é\n4,5\n", "latin1");
    await refused(inPieces(latin1, 1000), { code: "bad-encoding", line: 3 });
    await refused(inPieces(Buffer.from("a,b\n1,é", "latin1"), 2), { code: "bad-encoding", line: 2 });
  });

  test("a spreadsheet, a cut gzip file, JSON that is no array", async () => {
    await refused(await file("a.xlsx", Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0, 6)), {
      code: "unknown-format",
    });
    await refused(inPieces(gzipSync("a,b\n1,2\n".repeat(1000)).subarray(0, 40), 10), { code: "bad-gzip" });
    await refused(streamed('{"a": 1}'), { code: "bad-json", line: 1 }, "json");
    await refused(streamed('[{"a": 1}]\n[]'), { code: "bad-json", line: 2 });
  });

  test("the error names the file, the line, the reason and a way out", async () => {
    const path = await file("twice.csv", "a,a\n");
    await assert.rejects(collect(path), {
      file: path,
      line: 1,
      message: new RegExp(`^${path}:1: .+\\. .+\\.$`),
    });
  });
});

test("rows arrive before the stream ends, and stopping early ends it", async () => {
  let ended = false;
  let pieces = 0;
  async function* endless() {
    try {
      yield new TextEncoder().encode("a,b\n");
      for (;;) {
        pieces += 1;
        yield new TextEncoder().encode("1,2\n");
      }
    } finally {
      ended = true;
    }
  }
  let seen = 0;
  for await (const batch of readInputs(endless())) {
    seen += batch.length;
    if (seen >= 3) break;
  }
  assert.equal(ended, true);
  assert.ok(pieces <= seen + 2, `${pieces} pieces read ahead`);
});

test("a header with too many columns is refused at once, and one with the maximum is not", async () => {
  const header = (columns: number) => Array.from({ length: columns }, (_, n) => `c${n}`).join(",");
  const read = (text: string) => Array.fromAsync(readInputs(asStream(text), { format: "csv" }));
  await assert.rejects(read(`${header(170_000)}\n`), { code: "bad-header" });
  const row = Array.from({ length: 1000 }, () => "1").join(",");
  assert.equal((await read(`${header(1000)}\n${row}\n`)).flat().length, 1);
});

test("blank lines before a header are counted and not kept, and long quoted records come in pieces", async () => {
  const read = async (text: string, size: number) =>
    (await Array.fromAsync(readInputs(asStream(text, size), { format: "csv" }))).flat();
  assert.deepEqual(await read(`${"\n".repeat(5000)}a\n1\n`, 100), [{ line: 5002, value: { a: "1" } }]);
  assert.deepEqual(await read(`${"\r\n".repeat(500)}a\r\n1\r\n`, 7), [{ line: 502, value: { a: "1" } }]);
  const long = "l\n,".repeat(100_000);
  assert.deepEqual(await read(`a,b\n"${long}",2\n3,4\n`, 1000), [
    { line: 2, value: { a: long, b: "2" } },
    { line: 100_003, value: { a: "3", b: "4" } },
  ]);
});

async function* asStream(text: string, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
