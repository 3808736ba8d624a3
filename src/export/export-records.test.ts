import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { exportJob } from "./export-records.ts";
import type { RecordWriter, TableRow } from "./outputs/text-writer.ts";
import { type Ending, openSampleStorage } from "../cli/testing/sample-storage.ts";
import { sampleView } from "../cli/testing/sample-view.ts";

const NONE = { dropped: 0, gaps: new Map<string, number>() };
const DONE = { state: "done", quality: "complete" } as const;

/** Of five items: one record, two records, absent, failed, still queued. */
const mixed = (n: number): Ending | undefined => {
  switch (n % 5) {
    case 0:
      return { outcome: DONE, records: [{ owner: `Ann ${n}`, tax: n + 0.5 }] };
    case 1:
      return {
        outcome: { state: "done", quality: "partial" },
        records: [
          { owner: "Bo", tax: 1 },
          { owner: undefined, tax: 2 },
        ],
      };
    case 2:
      return { outcome: { state: "absent", detail: "none" } };
    case 3:
      return { outcome: { state: "failed", failure: { kind: "blocked", detail: "403, says the site" } } };
    default:
      return undefined;
  }
};

test("every item has its row, one for each of its records", async () => {
  await using storage = await openSampleStorage(5, mixed);
  const path = join(storage.data, "out.csv");
  assert.deepEqual(await exportJob(storage, storage.job, path), {
    set: `${storage.job}@first`,
    rows: 6,
    leftOut: [],
    ...NONE,
  });
  assert.equal(
    await readFile(path, "utf8"),
    `key,parcel,owner,tax,_state,_failure,_detail,_quality,_missing,_malformed
0,p0,Ann 0,0.5,done,,,complete,[],[]
1,p1,Bo,1,done,,,complete,[],[]
1,p1,,2,done,,,partial,"[""owner""]",[]
2,p2,,,absent,,,,[],[]
3,p3,,,failed,blocked,"403, says the site",,[],[]
4,p4,,,queued,,,,[],[]
`,
  );
});

test("a job of many pages comes out whole, in every format, with numbers as numbers", async () => {
  const count = 5003;
  await using storage = await openSampleStorage(count, mixed);
  const keys = Array.from({ length: count }, (_, n) =>
    n % 5 === 1 ? [String(n), String(n)] : [String(n)],
  ).flat();
  for (const name of ["out.csv", "out.jsonl", "out.parquet"]) {
    const path = join(storage.data, name);
    assert.deepEqual(await exportJob(storage, storage.job, path), {
      set: `${storage.job}@first`,
      rows: keys.length,
      leftOut: [],
      ...NONE,
    });
    const rows = await readRows(path);
    assert.deepEqual(
      rows.map(({ key }) => key),
      keys,
    );
    const found = rows.find(({ key }) => key === "5000");
    assert.deepEqual([found?.["owner"], String(found?.["tax"])], ["Ann 5000", "5000.5"]);
    if (name !== "out.csv") assert.equal(typeof found?.["tax"], "number");
  }
});

const readRows = async (path: string): Promise<Record<string, unknown>[]> => {
  if (path.endsWith(".parquet")) return await parquetReadObjects({ file: await asyncBufferFromFile(path) });
  const text = await readFile(path, "utf8");
  if (path.endsWith(".csv")) return parse(text, { columns: true });
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};

test("memory holds one page of rows at a time, once the columns are known", async () => {
  await using storage = await openSampleStorage(4500, mixed);
  const batches: number[] = [];
  const writer: RecordWriter = {
    open: async () => undefined,
    write: async (rows: readonly TableRow[]) => void batches.push(rows.length),
    close: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const { rows } = await exportJob(storage, storage.job, writer);
  assert.equal(
    batches.reduce((sum, size) => sum + size, 0),
    rows,
  );
  assert.ok(Math.max(...batches) <= 2000, String(batches));
});

test("a job without items gives a table without rows", async () => {
  await using storage = await openSampleStorage(0, mixed);
  const path = join(storage.data, "out.csv");
  assert.deepEqual(await exportJob(storage, storage.job, path), {
    set: `${storage.job}@first`,
    rows: 0,
    leftOut: [],
    ...NONE,
  });
  assert.equal(
    await readFile(path, "utf8"),
    "key,owner,tax,_state,_failure,_detail,_quality,_missing,_malformed\n",
  );
});

test("a segment that is gone is an error and leaves no file that looks whole", async () => {
  await using storage = await openSampleStorage(5, mixed);
  await storage.blobs.remove(`jobs/${storage.job}/records/tester-0.jsonl`);
  await assert.rejects(exportJob(storage, storage.job, join(storage.data, "out.csv")), { code: "damaged" });
  assert.ok(!(await readdir(storage.data)).some((name) => name.startsWith("out.csv")));
});

test("an item whose records are damaged is told and left out, and the others are written", async () => {
  await using storage = await openSampleStorage(5, mixed);
  const segment = `jobs/${storage.job}/records/tester-0.jsonl`;
  const path = join(storage.data, "out.jsonl");
  const whole = await exportJob(storage, storage.job, path);
  const { items } = await storage.ledger.listItems(storage.job, { limit: 10 });
  const [item] = items.filter(({ records }) => records !== null);
  const bytes = Buffer.from(await storage.blobs.get(segment));
  const at = bytes.indexOf('"value":', item!.records!.offset) + 8;
  bytes[at]! ^= 1;
  await storage.blobs.put(segment, bytes);
  await assert.rejects(exportJob(storage, storage.job, path), {
    code: "damaged",
    blob: segment,
    item: item!.key,
  });
  const told: (string | undefined)[] = [];
  const { rows } = await exportJob(storage, storage.job, path, {
    onDamagedItem: (error) => told.push(error.item),
  });
  assert.deepEqual(told, [item!.key]);
  assert.equal(rows, whole.rows - 1);
  assert.ok(!(await readFile(path, "utf8")).includes(`"key":${JSON.stringify(item!.key)}`));
});

test("a job that is not there is told", async () => {
  await using storage = await openSampleStorage(0, mixed);
  await assert.rejects(exportJob(storage, "nobody", "-"), { name: "LedgerError", code: "no-such-job" });
});

test("gaps are dropped or filled as told, and what was left out is counted by its reason", async () => {
  await using storage = await openSampleStorage(5, mixed);
  const path = join(storage.data, "out.csv");
  const exported = await exportJob(storage, storage.job, path, { gaps: "drop" });
  const gaps = new Map([
    ["no owner", 1],
    ["absent without a record", 1],
    ["failed without a record", 1],
    ["queued without a record", 1],
  ]);
  assert.deepEqual(exported, { set: `${storage.job}@first`, rows: 2, leftOut: [], dropped: 4, gaps });
  await exportJob(storage, storage.job, path, { fill: new Map([["owner", "nobody"]]) });
  const rows = parse(await readFile(path, "utf8"), { columns: true }) as Record<string, string>[];
  assert.deepEqual(rows.map(({ owner, _missing }) => [owner, _missing]).slice(1, 4), [
    ["Bo", "[]"],
    ["nobody", '["owner"]'],
    ["", "[]"],
  ]);
});

test("of a scraper that only led to others, an item that is done has no row", async () => {
  const pace = { perSecond: Infinity, burst: 1, concurrency: 5 };
  const [county] = sampleView({ spec: { pace } }).spec.scrapers;
  const scrapers = [
    { ...county!, extracts: false },
    { ...county!, name: "detail", fields: ["owner"], required: ["owner"] },
  ];
  await using storage = await openSampleStorage(
    5,
    (n) => ({ ...mixed(n), outcome: mixed(n)?.outcome ?? DONE, records: [] }),
    {
      scrapers,
    },
  );
  const rows: TableRow[] = [];
  const writer: RecordWriter = {
    open: async () => undefined,
    write: async (some) => void rows.push(...some),
    close: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  await exportJob(storage, storage.job, writer);
  assert.deepEqual(
    rows.map(({ key, _state, _scraper }) => [key, _state, _scraper]),
    [
      ["2", "absent", "county"],
      ["3", "failed", "county"],
    ],
  );
  rows.length = 0;
  await exportJob(storage, storage.job, writer, { scraper: "county" });
  assert.equal(rows.length, 5);
  rows.length = 0;
  await exportJob(storage, storage.job, writer, { scraper: "detail" });
  assert.equal(rows.length, 0);
});
