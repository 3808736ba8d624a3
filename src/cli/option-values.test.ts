import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidArgumentError } from "commander";
import { fillValue, inputSet, inputValue, listOf, sinceWhen } from "./option-values.ts";

test("numbers and booleans keep their type, everything else is text", () => {
  const texts = ["tax=0", "rate=-1.5", "zip=01234", "paid=false", "owner=", "note=a=b"];
  const filled = texts.reduce<ReadonlyMap<string, unknown>>(
    (before, text) => fillValue(text, before),
    new Map(),
  );
  assert.deepEqual(Object.fromEntries(filled), {
    tax: 0,
    rate: -1.5,
    zip: "01234",
    paid: false,
    owner: "",
    note: "a=b",
  });
});

test("names come in one option or in several", () => {
  assert.deepEqual(listOf("tax", listOf("owner, pool", undefined)), ["owner", "pool", "tax"]);
});

test("values without a field name are refused", () => {
  for (const wrong of [
    () => fillValue("0", undefined),
    () => fillValue("=0", undefined),
    () => listOf("a,", undefined),
  ])
    assert.throws(wrong, InvalidArgumentError);
});

const NOW = Date.UTC(2026, 10, 15, 12);
const since = sinceWhen(() => NOW);

test("an age is counted back from now", () => {
  assert.equal(since("12h"), NOW - 12 * 3_600_000);
  assert.equal(since("7d"), NOW - 7 * 86_400_000);
  assert.equal(since("2w"), NOW - 14 * 86_400_000);
});

test("a date starts at midnight local time, a time is exact", () => {
  assert.equal(since("2026-11-01"), new Date(2026, 10, 1).getTime());
  assert.equal(since("2026-11-01T08:30Z"), Date.UTC(2026, 10, 1, 8, 30));
});

test("anything else is refused", () => {
  for (const text of ["", "7", "d", "7 days", "yesterday", "2026-13-01", "1.11.2026", "2026-11-01x"])
    assert.throws(() => since(text), { code: "commander.invalidArgument" }, text);
});

test("an input set has a version, or its newest is meant", () => {
  assert.deepEqual(
    [inputSet("parcels"), inputSet("parcels@3")],
    [{ set: "parcels" }, { set: "parcels", version: 3 }],
  );
  for (const text of ["", "@3", "parcels@", "parcels@0", "parcels@1@2"])
    assert.throws(() => inputSet(text), text);
});

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

test("other values are refused", () => {
  for (const text of ["", "parcel", "[1]", "{parcel:1}", "=1"])
    assert.throws(() => inputValue(text), InvalidArgumentError, text);
});
