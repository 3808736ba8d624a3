import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { InvalidArgumentError } from "commander";
import { chosenInput, inputValue, readings } from "./input-option.ts";
import { UsageError } from "./usage-error.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-input-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "parcels.csv");
writeFileSync(file, "parcel,year\n100,2024\n200,2025\n");

test("an item is given as JSON, as pairs, or as a URL", () => {
  assert.deepEqual(inputValue('{"parcel":"1","year":2024}'), { parcel: "1", year: 2024 });
  assert.deepEqual(inputValue("year=2024", inputValue("parcel=1")), { parcel: "1", year: "2024" });
  assert.deepEqual(inputValue("https://site.example/?a=b"), { url: "https://site.example/?a=b" });
  assert.deepEqual(inputValue("name=a=b"), { name: "a=b" });
  assert.deepEqual(inputValue("name="), { name: "" });
});

test("a property that is given twice is refused", () => {
  for (const [first, second] of [
    ["url=a", "url=b"],
    ["https://a.example/", "url=b"],
    ['{"n":1}', "n=2"],
  ])
    assert.throws(() => inputValue(second!, inputValue(first!)), InvalidArgumentError);
});

test("what is none of these is refused", () => {
  for (const text of ["", "parcel", "[1]", "{parcel:1}", "=1"])
    assert.throws(() => inputValue(text), InvalidArgumentError, text);
});

test("an item of a file is found by its line, the first one without", async () => {
  assert.deepEqual(await chosenInput({ from: file }), { parcel: "100", year: "2024" });
  assert.deepEqual(await chosenInput({ from: file, line: 3 }), { parcel: "200", year: "2025" });
});

test("a line without an item, no item at all and two of them are wrong usage", async () => {
  await assert.rejects(chosenInput({ from: file, line: 1 }), UsageError);
  await assert.rejects(chosenInput({ from: file, line: 9 }), UsageError);
  await assert.rejects(chosenInput({}), UsageError);
  await assert.rejects(chosenInput({ from: file, input: { parcel: "1" } }), UsageError);
});

test("pairs are texts first, and numbers where the schema wants them", () => {
  assert.deepEqual(readings({ parcel: "0100", year: "2024", ok: "true", name: "x" }), [
    { parcel: "0100", year: "2024", ok: "true", name: "x" },
    { parcel: "0100", year: 2024, ok: true, name: "x" },
  ]);
});
