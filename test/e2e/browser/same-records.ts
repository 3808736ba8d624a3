import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { sluice } from "../sluice-process.ts";

type Row = Record<string, string>;

/** The records of the only job in a data folder, by key: fields, quality, and the digests of files. */
export const recordsIn = async (data: string): Promise<Map<string, Row>> => {
  const file = join(data, "records.csv");
  const { code, stderr } = await sluice(["export", "last", "--data", data, "--output", file]);
  assert.equal(code, 0, stderr);
  const rows = parse(readFileSync(file), { columns: true }) as Row[];
  return new Map(
    rows.map(({ key = "", _files = "[]", _detail, ...fields }) => {
      const files = JSON.parse(_files) as { name: string; mediaType: string; digest: string }[];
      const kept = files.map(({ name, mediaType, digest }) => `${name} ${mediaType} ${digest}`);
      return [key, { ...fields, files: kept.join() }];
    }),
  );
};

/** Compares what two scrapers made of the same parcels, however they got it. Returns how many records were compared. */
export const assertSameRecords = (
  ours: ReadonlyMap<string, Row>,
  theirs: ReadonlyMap<string, Row>,
  keys: Iterable<string>,
): number => {
  let compared = 0;
  for (const key of keys) {
    assert.ok(ours.has(key), `${key} has a record`);
    assert.deepEqual(ours.get(key), theirs.get(key), key);
    compared++;
  }
  return compared;
};
