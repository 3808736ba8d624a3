import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { by, defineScraper, field } from "../index.ts";
import type { RecordFrom, RecordOf } from "../index.ts";

/** Compiles only where both types are the same, not where one merely fits the other. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(isSame: Same<A, B>): void => assert.equal(isSame, true);

const fields = {
  owner: field.text("#owner"),
  status: field.text(by.label("Status"), { oneOf: ["PAID", "DUE"] }),
  tax: field.money([by.jsonLd("Bill", "total"), "#tax"], { min: 0 }),
  paid: field.date("#paid", { formats: ["M/D/YYYY"], timeZone: "America/Chicago" }).optional(),
  phone: field.phone("#phone", { country: "US", format: "national" }),
  tags: field.list("li", { oneOf: ["a", "b"] }),
  data: field.json<{ id: number }>(by.state("window.S")),
  raw: field.json("script"),
  address: field.object({ street: field.text(".street"), geo: field.object({ lat: field.number(".lat") }) }),
  payments: field.table("#payments", {
    columns: { year: field.number(by.column("Year")), note: field.text(by.column("Note")).optional() },
  }),
  grid: field.table("#grid"),
  owners: field.each(".owner", { name: field.text("b"), share: field.percent("i") }),
};

test("a record's type follows from its fields, nested ones and rows included", () => {
  type Record = RecordOf<typeof fields>;
  same<Record["owner"], string | null>(true);
  same<Record["status"], "PAID" | "DUE" | null>(true);
  same<Record["tax"], number | null>(true);
  same<Record["paid"], string | null>(true);
  same<Record["phone"], string | null>(true);
  same<Record["tags"], readonly ("a" | "b")[] | null>(true);
  same<Record["data"], { id: number } | null>(true);
  same<Record["raw"], unknown>(true);
  same<Record["address"]["street"], string | null>(true);
  same<Record["address"]["geo"]["lat"], number | null>(true);
  same<NonNullable<Record["payments"]>[number]["year"], number | null>(true);
  same<NonNullable<Record["payments"]>[number]["note"], string | null>(true);
  same<NonNullable<Record["grid"]>[number], Readonly<{ [header: string]: string | null }>>(true);
  same<NonNullable<Record["owners"]>[number]["share"], number | null>(true);
});

test("a scraper's record and its check know the fields", () => {
  const scraper = defineScraper({
    name: "typed",
    input: z.object({ id: z.string() }),
    async collect({ http, keep }) {
      keep.page("p", await http.get("/"));
    },
    extract: {
      fields,
      check: ({ tax, address }) =>
        tax === null || tax < 1e9 || address.geo.lat === null || { tax: "more than the county has" },
    },
  });
  same<RecordFrom<typeof scraper>["address"]["geo"]["lat"], number | null>(true);
  assert.equal(typeof scraper.extract, "object");
});

test("options that a kind of field does not have are refused by the compiler, and when the scraper is loaded", () => {
  // @ts-expect-error a text has no range
  assert.throws(() => field.text("b", { min: 1 }), TypeError);
  // @ts-expect-error a country is two letters
  assert.throws(() => field.phone("b", { country: "Texas" }), TypeError);
  // @ts-expect-error money has no formats
  assert.throws(() => field.money("b", { formats: ["M/D/YYYY"] }), TypeError);
  // @ts-expect-error a decimal mark is a dot or a comma
  assert.throws(() => field.number("b", { decimal: "'" }), TypeError);
  // @ts-expect-error the check of a number is given a number
  assert.ok(field.number("b", { check: (value: string) => value === "" || "no" }));
  // @ts-expect-error a column is a field
  assert.throws(() => field.table("b", { columns: { year: "Year" } }).compile(null));
  // @ts-expect-error a table without columns has texts
  assert.ok(field.table("b", { check: ([row]) => row?.["year"] === 1 || "no" }));
  const columns = { year: field.number(by.column("Year")) };
  assert.ok(field.table("b", { columns, check: ([row]) => row?.year === 1 || "no" }));
  // @ts-expect-error whether it is required is for optional() to say
  assert.ok(field.object({}, {}, false).isRequired);
  // @ts-expect-error likewise
  assert.ok(field.each("b", {}, {}, false).isRequired);
  // @ts-expect-error rows are made of fields
  assert.throws(() => field.each("b", { year: "Year" }).compile(null));
});
