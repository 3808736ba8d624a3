import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { openSampleStorage } from "../cli/testing/sample-storage.ts";
import { sampleView } from "../cli/testing/sample-view.ts";
import { exportJob } from "./export-records.ts";
import { openOutput } from "./outputs/open-output.ts";

const DONE = { state: "done", quality: "complete" } as const;
const NAMES = ["paid", "seen", "either", "month", "text"];

const openDates = async (records: readonly Readonly<Record<string, unknown>>[]) => {
  const [root] = sampleView().spec.scrapers;
  const dates = NAMES.filter((name) => name !== "text");
  return openSampleStorage(
    records.length,
    (n) => ({ outcome: DONE, records: [records[n] ?? assert.fail()] }),
    {
      fields: NAMES,
      required: [],
      scrapers: [{ ...(root ?? assert.fail()), fields: NAMES, required: [], dates }],
    },
  );
};

const readParquet = async (path: string) => {
  const file = await asyncBufferFromFile(path);
  const { schema } = await parquetMetadataAsync(file);
  const rows: Record<string, unknown>[] = await parquetReadObjects({ file });
  return {
    rows,
    types: Object.fromEntries(
      schema.map(({ name, logical_type, converted_type }) => [name, logical_type?.type ?? converted_type]),
    ),
  };
};

test("Parquet has days as dates and instants as timestamps; a month, and a column with both, are text", async () => {
  await using storage = await openDates([
    {
      paid: "2024-02-29",
      seen: "2024-02-29T10:30:15.500Z",
      either: "2024-02-29",
      month: "2024-02",
      text: "2024-02-29",
    },
    {
      paid: "1969-12-31",
      seen: "1969-12-31T23:59:59Z",
      either: "2024-02-29T10:30:00Z",
      month: "2024-03",
      text: "2024-03-01",
    },
    { paid: null, seen: null, either: null, month: null, text: null },
  ]);
  const path = join(storage.data, "out.parquet");
  await exportJob(storage, storage.job, path);
  const { rows, types } = await readParquet(path);
  assert.deepEqual(
    NAMES.map((name) => types[name]),
    ["DATE", "TIMESTAMP", "UTF8", "UTF8", "UTF8"],
  );
  assert.deepEqual(
    rows.map((row) => NAMES.map((name) => row[name])),
    [
      [new Date("2024-02-29"), new Date("2024-02-29T10:30:15.500Z"), "2024-02-29", "2024-02", "2024-02-29"],
      [
        new Date("1969-12-31"),
        new Date("1969-12-31T23:59:59Z"),
        "2024-02-29T10:30:00Z",
        "2024-03",
        "2024-03-01",
      ],
      [null, null, null, null, null],
    ],
  );
  const csv = join(storage.data, "out.csv");
  await exportJob(storage, storage.job, csv);
  assert.match(await readFile(csv, "utf8"), /^0,p0,2024-02-29,2024-02-29T10:30:15.500Z,2024-02-29,2024-02,/m);
});

test("a value that fills gaps and is no date leaves the column text", async () => {
  await using storage = await openDates([{ paid: "2024-02-29" }, { paid: undefined }]);
  const path = join(storage.data, "out.parquet");
  await exportJob(storage, storage.job, path, { fill: new Map([["paid", "unpaid"]]) });
  assert.deepEqual(
    (await readParquet(path)).rows.map(({ paid }) => paid),
    ["2024-02-29", "unpaid"],
  );
});

test("an instant that comes after columns were learned from days is told with the way out", async () => {
  await using storage = await openDates([{ paid: "2024-02-29" }]);
  const path = join(storage.data, "out.parquet");
  for (const [type, paid] of [
    ["day", "2024-02-29T10:30:00Z"],
    ["instant", "2024-02-29"],
    ["day", "2024-02"],
    ["day", 5],
  ] as const) {
    await using writer = openOutput(path);
    await writer.open([{ name: "key" }, { name: "paid", type }]);
    const row = {
      key: "k",
      _state: "done",
      _failure: null,
      _quality: null,
      _missing: [],
      _malformed: [],
      paid,
    };
    await assert.rejects(writer.write([row]), { code: "bad-value", path });
  }
});

test("no export has a NUL character", async () => {
  await using storage = await openDates([{ text: "a\0b" }, { text: ["x\0"] }]);
  for (const name of ["out.csv", "out.jsonl", "out.parquet"]) {
    const path = join(storage.data, name);
    await exportJob(storage, storage.job, path);
    if (name === "out.parquet")
      assert.deepEqual(
        (await readParquet(path)).rows.map(({ text }) => text),
        ["ab", '["x"]'],
      );
    else assert.ok(!/\0|\\u0000/.test(await readFile(path, "utf8")), name);
  }
});
