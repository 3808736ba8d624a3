import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { chosenInput, readings } from "./try.ts";
import { UsageError } from "../exit.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-input-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "parcels.csv");
writeFileSync(file, "parcel,year\n100,2024\n200,2025\n");

test("an item of a file is found by its line; without one, it is the first", async () => {
  assert.deepEqual(await chosenInput({ from: file }), { parcel: "100", year: "2024" });
  assert.deepEqual(await chosenInput({ from: file, line: 3 }), { parcel: "200", year: "2025" });
});

test("a line without an item, no item and two items are usage errors", async () => {
  await assert.rejects(chosenInput({ from: file, line: 1 }), UsageError);
  await assert.rejects(chosenInput({ from: file, line: 9 }), UsageError);
  await assert.rejects(chosenInput({}), UsageError);
  await assert.rejects(chosenInput({ from: file, input: { parcel: "1" } }), UsageError);
});

test("pairs are read as text first, then as numbers", () => {
  assert.deepEqual(readings({ parcel: "0100", year: "2024", ok: "true", name: "x" }), [
    { parcel: "0100", year: "2024", ok: "true", name: "x" },
    { parcel: "0100", year: 2024, ok: true, name: "x" },
  ]);
});
