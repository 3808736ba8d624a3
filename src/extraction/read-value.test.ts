import assert from "node:assert/strict";
import { test } from "node:test";
import { judgePage } from "../domain/judgement.ts";
import type { ExtractFunction } from "./extract-function.ts";
import { compileExtraction } from "./extract-spec.ts";

const page = (text: string, mediaType = "text/html") => ({
  name: "p",
  url: "https://county.example/a/b",
  status: 200,
  mediaType,
  text,
});

const judged = (extract: ExtractFunction, text = "", mediaType?: string) =>
  judgePage(compileExtraction(extract).read([page(text, mediaType)]), []).records.map(({ fields }) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, { status, value }]) => [name, value === null ? status : value]),
    ),
  );

test("an extract function reads texts as fields do, with the same statuses", () => {
  const [record] = judged((_pages, { read }) => ({
    text: read.text("  Ann\n Smith "),
    none: read.text("N/A"),
    gone: read.money(undefined),
    blank: read.money(null),
    money: read.money("1.234,56 €"),
    doubt: read.money("1.234 €"),
    german: read.money("1.234 €", { locale: "de" }),
    percent: read.percent("125%", { max: 100 }),
    number: read.number("3 acres", { unit: "acres" }),
    json: read.number(7.5),
    date: read.date("02/09/2024", { formats: ["MM/DD/YYYY"] }),
    phone: read.phone("(512) 555-0142", { country: "US" }),
    email: read.email("E-mail: Clerk@Town.GOV"),
    url: read.url("../c?d=1"),
    list: read.list(["a", "N/A", "b"]),
    choice: read.text("Paid", { oneOf: ["Due"] }),
    checked: read.number("4", { check: (value) => value > 5 || "too small" }),
    sum: (read.money("$5.00").value ?? 0) + 1,
  }));
  assert.deepEqual(record, {
    text: "Ann Smith",
    none: "empty",
    gone: "missing",
    blank: "empty",
    money: 1234.56,
    doubt: "malformed",
    german: 1234,
    percent: "malformed",
    number: 3,
    json: 7.5,
    date: "2024-02-09",
    phone: "+15125550142",
    email: "Clerk@town.gov",
    url: "https://county.example/c?d=1",
    list: ["a", "b"],
    choice: "malformed",
    checked: "malformed",
    sum: 6,
  });
});

test("the status of a reader is available, and a malformed entry makes its list malformed", () => {
  const [record] = judged((_pages, { read }) => ({
    said: [
      read.money("see clerk").status,
      read.money("$5").status,
      read.money("see clerk").why !== undefined,
    ],
    good: [{ paid: read.money("$5") }, { paid: read.money("--") }],
    bad: [{ paid: read.money("$5") }, { paid: read.money("see clerk") }],
  }));
  assert.deepEqual(record, {
    said: ["malformed", "present", true],
    good: [{ paid: 5 }, { paid: null }],
    bad: "malformed",
  });
});

test("an extract function reads JSON pages, and resolves links against <base>", () => {
  const rows = judged(
    ([only], { json, values, read }) =>
      values(json(only!), "items[]").map((item) => ({
        id: read.number(values(item, "id")[0]),
        price: read.money(values(item, "offer.price")[0]),
      })),
    '{"items":[{"id":1,"offer":{"price":"9.50"}},{"id":"x"}]}',
    "application/json",
  );
  assert.deepEqual(rows, [
    { id: 1, price: 9.5 },
    { id: "malformed", price: "missing" },
  ]);
  assert.deepEqual(
    judged((_pages, { read }) => ({ url: read.url("c") }), "<base href=/x/>"),
    [{ url: "https://county.example/x/c" }],
  );
});

test("HTML quoted in a feed can be parsed as a document", () => {
  const rows = judged(
    ([feed], { document, selector }) => {
      const doc = document(feed!);
      return doc.all(selector("item")).map((item) => {
        const html = doc.htmlOf(doc.first(selector("description"), item)!);
        const quoted = document({ ...feed!, mediaType: "text/html", text: html });
        return { bold: quoted.all(selector("b")).map((one) => quoted.textOf(one)) };
      });
    },
    "<rss><item><description><![CDATA[<p><b>a</b> <b>b</b>]]></description></item><item><description>&lt;b&gt;c</description></item></rss>",
    "text/xml",
  );
  assert.deepEqual(rows, [{ bold: ["a", "b"] }, { bold: ["c"] }]);
});
