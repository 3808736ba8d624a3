import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, test } from "node:test";
import { parse } from "csv-parse/sync";
import { parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { openOutput } from "./open-output.ts";
import type { Column, OutputRow } from "./text-writer.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-outputs-"));
});
afterEach(async () => {
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true });
});

const COLUMNS: Column[] = [
  { name: "key" },
  { name: "owner" },
  { name: "tax.rate", type: "number" },
  { name: "paid", type: "boolean" },
  { name: "_state" },
  { name: "_failure" },
  { name: "_quality" },
  { name: "_missing", type: "json" },
];

const row = (key: string, fields: Record<string, unknown> = {}): OutputRow => {
  return {
    key,
    _state: "done",
    _failure: null,
    _quality: "complete",
    _missing: [],
    _malformed: [],
    ...fields,
  };
};

const ROWS = [
  row("1", { owner: 'O\'Neil, "Al"\nJr', "tax.rate": -1.5, paid: true, surplus: "left out" }),
  row("2", { owner: "ツ", "tax.rate": null, paid: false, _quality: "partial", _missing: ["tax.rate", "a"] }),
  row("3", { _state: "failed", _failure: "blocked", _quality: null }),
];

const write = async (
  path: string | undefined,
  rows: OutputRow[],
  columns = COLUMNS,
  stdout?: PassThrough,
) => {
  await using writer = openOutput(path, stdout);
  await writer.open(columns);
  await writer.write(rows.slice(0, 1));
  await writer.write([]);
  await writer.write(rows.slice(1));
  await writer.close();
};

const readParquet = async (path: string) => {
  const { buffer, byteOffset, byteLength } = await readFile(path);
  const file = buffer.slice(byteOffset, byteOffset + byteLength);
  const rows: Record<string, unknown>[] = await parquetReadObjects({ file });
  return { rows, metadata: await parquetMetadataAsync(file) };
};

const EXPECTED = [
  {
    key: "1",
    owner: 'O\'Neil, "Al"\nJr',
    "tax.rate": -1.5,
    paid: true,
    _state: "done",
    _failure: null,
    _quality: "complete",
    _missing: [],
  },
  {
    key: "2",
    owner: "ツ",
    "tax.rate": null,
    paid: false,
    _state: "done",
    _failure: null,
    _quality: "partial",
    _missing: ["tax.rate", "a"],
  },
  {
    key: "3",
    owner: null,
    "tax.rate": null,
    paid: null,
    _state: "failed",
    _failure: "blocked",
    _quality: null,
    _missing: [],
  },
];

const jsonLines = (content: string): unknown[] => {
  assert.ok(content.endsWith("\n"));
  return content
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
};

describe("what was written can be read back", () => {
  for (const extension of [".jsonl", ".ndjson"]) {
    test(`from ${extension}`, async () => {
      const path = join(folder, `out${extension}`);
      await write(path, ROWS);
      assert.deepEqual(jsonLines(await readFile(path, "utf8")), EXPECTED);
    });
  }

  test("from stdout, which is not ended", async () => {
    for (const path of [undefined, "-"]) {
      const stdout = new PassThrough();
      const content = text(stdout);
      await write(path, ROWS, COLUMNS, stdout);
      assert.equal(stdout.writableEnded, false);
      stdout.end();
      assert.deepEqual(jsonLines(await content), EXPECTED);
    }
  });

  test("from .csv, with lists as JSON and nothing for null", async () => {
    const path = join(folder, "out.CSV");
    await write(path, ROWS);
    const rows: Record<string, string>[] = parse(await readFile(path, "utf8"), { columns: true });
    assert.deepEqual(
      rows,
      EXPECTED.map((expected) =>
        Object.fromEntries(
          Object.entries(expected).map(([name, value]) => [
            name,
            Array.isArray(value) ? JSON.stringify(value) : String(value ?? ""),
          ]),
        ),
      ),
    );
  });

  test("from .parquet, with its types", async () => {
    const path = join(folder, "out.parquet");
    await write(path, ROWS);
    const { rows, metadata } = await readParquet(path);
    assert.deepEqual(rows, EXPECTED);
    assert.deepEqual(
      metadata.schema.slice(1).map(({ name, type }) => [name, type]),
      COLUMNS.map(({ name, type }) => [
        name,
        type === "number" ? "DOUBLE" : type === "boolean" ? "BOOLEAN" : "BYTE_ARRAY",
      ]),
    );
  });

  test("from .parquet of several row groups", async () => {
    const path = join(folder, "out.parquet");
    await write(
      path,
      Array.from({ length: 25_000 }, (_, index) => row(`k${index}`, { "tax.rate": index })),
    );
    const { rows, metadata } = await readParquet(path);
    assert.deepEqual(
      metadata.row_groups.map((group) => group.num_rows),
      [10_000n, 10_000n, 5000n],
    );
    assert.ok(rows.every((each, index) => each["key"] === `k${index}` && each["tax.rate"] === index));
    assert.equal(rows.length, 25_000);
  });

  test("where there was not a single row", async () => {
    await write(join(folder, "out.csv"), []);
    assert.equal(
      await readFile(join(folder, "out.csv"), "utf8"),
      `${COLUMNS.map(({ name }) => name).join(",")}\n`,
    );
    await write(join(folder, "out.jsonl"), []);
    assert.equal(await readFile(join(folder, "out.jsonl"), "utf8"), "");
    await write(join(folder, "out.parquet"), []);
    assert.deepEqual((await readParquet(join(folder, "out.parquet"))).rows, []);
  });
});

test("text that a spreadsheet would run is disarmed, numbers stay numbers", async () => {
  const path = join(folder, "out.csv");
  const texts = ["=1+1", "+cmd|x", "-2+3", "@SUM(A1)", "\tx", -12.5, "-12.50", "+15", "a=b", 7];
  await write(
    path,
    texts.map((value, index) => row(`k${index}`, { value })),
    [{ name: "key" }, { name: "value" }],
  );
  const cells: string[][] = parse(await readFile(path, "utf8"), { from: 2 });
  assert.deepEqual(
    cells.map(([, value]) => value),
    ["'=1+1", "'+cmd|x", "'-2+3", "'@SUM(A1)", "'\tx", "-12.5", "-12.50", "+15", "a=b", "7"],
  );
});

describe("a file bears its name only once it is whole", () => {
  for (const name of ["out.csv", "out.jsonl", "out.parquet"]) {
    test(`${name} is what it was before until the writer is closed`, async () => {
      const path = join(folder, name);
      await writeFile(path, "before");
      await using writer = openOutput(path);
      await writer.open(COLUMNS);
      await writer.write(ROWS);
      assert.equal(await readFile(path, "utf8"), "before");
      await writer.close();
      assert.notEqual(await readFile(path, "utf8"), "before");
      assert.deepEqual(await readdir(folder), [name]);
    });

    test(`${name} given up leaves nothing behind`, async () => {
      {
        await using writer = openOutput(join(folder, name));
        await writer.open(COLUMNS);
        await writer.write(ROWS);
      }
      assert.deepEqual(await readdir(folder), []);
    });
  }
});

const refused = (path: string, code: string) =>
  assert.rejects(write(path, ROWS), { name: "OutputError", code, path });

describe("where nothing can be written the error has a code and the path", () => {
  test("an extension that says nothing", () => {
    for (const path of ["out.xlsx", "out", "out.csv.bak"]) {
      assert.throws(() => openOutput(path), { name: "OutputError", code: "unknown-extension", path });
    }
  });

  test("a folder that is not there, and a folder instead of a file", async () => {
    await refused(join(folder, "none", "out.csv"), "no-folder");
    await mkdir(join(folder, "out.parquet"));
    await refused(join(folder, "out.parquet"), "not-writable");
  });

  test(
    "a folder that is read-only",
    { skip: process.getuid?.() === 0 ? "root may write everywhere" : false },
    async () => {
      await chmod(folder, 0o500);
      await refused(join(folder, "out.csv"), "not-writable");
    },
  );

  test(
    "a full disk, which leaves no file under the name",
    { skip: existsSync("/dev/full") ? false : "no /dev/full" },
    async () => {
      for (const name of ["out.csv", "out.jsonl", "out.parquet"]) {
        const path = join(folder, name);
        await symlink("/dev/full", `${path}.${process.pid}.partial`);
        await refused(path, "no-space");
      }
      assert.deepEqual(await readdir(folder), []);
    },
  );

  test("a reader of stdout that has gone", async () => {
    const stdout = new PassThrough();
    await using writer = openOutput("-", stdout);
    await writer.open(COLUMNS);
    stdout.destroy(Object.assign(new Error("broken pipe"), { code: "EPIPE" }));
    await assert.rejects(writer.write(ROWS), { name: "OutputError", code: "closed", path: "stdout" });
  });

  test("a value that its Parquet column cannot hold", async () => {
    const path = join(folder, "out.parquet");
    await assert.rejects(write(path, [row("1", { "tax.rate": "n/a" })]), { code: "bad-value", path });
    assert.deepEqual(await readdir(folder), []);
  });
});
