import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { writeInputs } from "./inputs-csv.ts";

const written = (t: TestContext, count: number, order: "scattered" | "rising"): string[] => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-inputs-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "inputs.csv");
  writeInputs(file, count, order);
  return readFileSync(file, "utf8").trimEnd().split("\n");
};

test("shuffled inputs are the same parcels as sorted ones", (t) => {
  for (const count of [1, 2, 1_000, 1_024]) {
    const [header, ...scattered] = written(t, count, "scattered");
    const [, ...rising] = written(t, count, "rising");
    assert.equal(header, "parcel");
    assert.equal(new Set(scattered).size, count);
    assert.deepEqual(scattered.toSorted(), rising);
    if (count >= 1_000) assert.notDeepEqual(scattered, rising);
  }
});
