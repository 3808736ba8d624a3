import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { defineScraper, field, type InputOf, type RecordFrom } from "../index.ts";
import { describeIssues, need } from "./scraper.ts";

const scraper = defineScraper({
  name: "typed",
  input: z.object({ parcel: z.string(), year: z.coerce.number() }),
  key: ({ parcel, year }) => `${parcel}/${year.toFixed()}`,
  async collect({ input, http, keep }) {
    keep.page("page", await http.get(`/${input.parcel.toLowerCase()}`));
  },
  extract: { fields: { owner: field.text(".owner"), value: field.money(".value"), tags: field.list("li") } },
});

test("types follow from the input schema to the record", () => {
  const input: InputOf<typeof scraper> = { parcel: "A", year: 2026 };
  const record: RecordFrom<typeof scraper> = { owner: "ann", value: 1.5, tags: null };
  // @ts-expect-error a money field gives a number
  const wrong: RecordFrom<typeof scraper> = { owner: "ann", value: "1.5", tags: null };
  assert.equal(scraper.key?.(input), "A/2026");
  assert.deepEqual([record.value, wrong.value], [1.5, "1.5"]);
});

test("issues are listed, each with its path", () => {
  const text = describeIssues([
    { message: "expected 10 digits", path: ["parcel"] },
    { message: "required", path: ["owners", 0, "name"] },
    { message: "too old" },
  ]);
  assert.equal(text, "parcel: expected 10 digits; owners.0.name: required; too old");
});

test("a path may be made of keys, of objects that hold keys, and of symbols", () => {
  const path = [{ key: "owner" }, { key: 1 }, Symbol("mark")];
  assert.equal(describeIssues([{ message: "no", path }]), "owner.1.Symbol(mark): no");
});

test("`need` returns the text, or throws a failure that names it", () => {
  assert.deepEqual([need("a", "x"), need(5, "x"), need(false, "x")], ["a", "5", "false"]);
  for (const nothing of [undefined, null, "", {}])
    assert.throws(() => need(nothing, "the token"), /navigation: the token was not found/);
});
