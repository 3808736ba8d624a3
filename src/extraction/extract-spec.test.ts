import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { compileExtraction } from "./extract-spec.ts";
import type { ReadablePage } from "./extract-spec.ts";
import { field } from "./field.ts";
import { parseHtml } from "./html-document.ts";

const page = (text: string, name = "detail"): ReadablePage => ({
  name,
  url: "https://county.example/tax/1",
  status: 200,
  mediaType: "text/html",
  text,
});
const values = (extraction: ReturnType<typeof compileExtraction>, ...pages: ReadablePage[]): unknown[] =>
  extraction
    .read(pages)
    .map(({ fields }) =>
      Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
    );

const fields = { owner: field.text(".owner"), tax: field.money(".tax").optional() };

test("one page gives one record, with its fields in the scraper's order", () => {
  const extraction = compileExtraction({ from: "detail", fields });
  assert.deepEqual(extraction.fieldNames, ["owner", "tax"]);
  assert.deepEqual(extraction.required, ["owner"]);
  const [record] = extraction.read([page("<b class=owner>ANN</b><b class=tax>$5</b>")]);
  assert.equal(record?.from, "detail");
  assert.deepEqual(Object.keys(record?.fields ?? {}), ["owner", "tax"]);
  assert.equal(record?.fields["tax"]?.value, 5);
});

test("each row gives its own record", () => {
  const extraction = compileExtraction({
    each: "tr.parcel",
    fields: {
      owner: field.text("td:nth-child(1)"),
      tax: field.money("> .tax"),
      note: field.text("+ tr.note td").optional(),
    },
  });
  const table = `<table><tr class=parcel><td>ANN<td class=tax>$5<tr class=note><td>late
    <tr class=parcel><td>BOB<tr class=parcel><td>CY<td class=tax>--</table>`;
  assert.deepEqual(values(extraction, page(table)), [
    { owner: "ANN", tax: 5, note: "late" },
    { owner: "BOB", tax: null, note: null },
    { owner: "CY", tax: null, note: null },
  ]);
  assert.deepEqual(
    extraction.read([page(table)]).map((record) => record.fields["tax"]?.raw),
    ["$5", null, "--"],
  );
  assert.deepEqual(values(extraction, page("<p>no table")), []);
});

test("pages are read in the order they were kept, and only those that are named", () => {
  const extraction = compileExtraction({ from: ["list", "more"], fields: { owner: field.text("b") } });
  const pages = [
    page("<b>1</b>", "list"),
    page("<b>x</b>", "search"),
    page("<b>2</b>", "more"),
    page("<b>3</b>", "list"),
  ];
  assert.deepEqual(values(extraction, ...pages), [{ owner: "1" }, { owner: "2" }, { owner: "3" }]);
});

test("a page that was not kept, or is ambiguous, is a scraper error", () => {
  const open = compileExtraction({ fields });
  assert.throws(() => open.read([]), { code: "no-page" });
  assert.throws(() => open.read([page(""), page("")]), { code: "no-page" });
  assert.throws(() => compileExtraction({ from: "bill", fields }).read([page("")]), { code: "no-page" });
});

test("an invalid spec is refused at once", () => {
  const noField = JSON.parse('{"fields": {"owner": "b"}}');
  assert.throws(() => compileExtraction(noField), { code: "bad-spec" });
  assert.throws(() => compileExtraction({ fields: {} }), { code: "bad-spec" });
  assert.throws(() => compileExtraction({ each: "tr[", fields }), { code: "bad-selector" });
});

test("links respect the page's base", () => {
  const extraction = compileExtraction({ fields: { bill: field.url("a") } });
  assert.deepEqual(values(extraction, page("<a href=bill.pdf>")), [
    { bill: "https://county.example/tax/bill.pdf" },
  ]);
  const based = page("<base target=x><base href=/files/><base href=/no/><a href=bill.pdf>");
  assert.deepEqual(values(extraction, based), [{ bill: "https://county.example/files/bill.pdf" }]);
});

test("a parsed document is not parsed again", () => {
  const document = { ...parseHtml("<b class=owner>ANN</b>"), isParsed: true };
  assert.equal(
    compileExtraction({ fields }).read([{ ...page("<b class=owner>BOB</b>"), document }])[0]?.fields["owner"]
      ?.value,
    "ANN",
  );
});

test("any page gives one record, and nothing is thrown", () => {
  const extraction = compileExtraction({
    fields: {
      text: field.text("b"),
      money: field.money("b"),
      percent: field.percent("b"),
      date: field.date("b", { formats: ["M/D/YYYY"] }),
      url: field.url("b, a"),
      list: field.list("b"),
      attr: field.attr("b", "id"),
      phone: field.phone("b", { country: "US" }),
      email: field.email("b"),
      number: field.number("b", { unit: "acres" }),
      json: field.json("b"),
      html: field.html("b"),
    },
  });
  const inside = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom("1", "20", "345", ".", ",", "-", "$", "€", "%", "(", ")", " ", "/") }),
  );
  fc.assert(
    fc.property(inside, (text) => {
      const [record] = extraction.read([page(`<b id="${text}">${text}</b><a href="${text}">`)]);
      for (const { raw, problem, isEmpty, value } of Object.values(record?.fields ?? {})) {
        const answers = [raw === null, problem !== undefined, isEmpty, value !== null];
        assert.equal(answers.filter(Boolean).length, 1, "every field is in exactly one state");
      }
    }),
    { numRuns: 1000 },
  );
});

test("a scraper's own function gives plain objects", () => {
  const extraction = compileExtraction((pages, { document, selector }) =>
    pages.map((kept) => {
      const html = document(kept);
      return {
        rows: html.all(selector("tr")).length,
        empty: null,
        blank: " ",
        missing: undefined,
        deep: { a: [1] },
      };
    }),
  );
  const [record] = extraction.read([page("<table><tr><tr>")]);
  assert.equal(record?.from, "detail");
  assert.deepEqual(record?.fields["rows"], { raw: "2", isEmpty: false, value: 2 });
  assert.deepEqual(record?.fields["empty"], { raw: "", isEmpty: true, value: null });
  assert.equal(record?.fields["blank"]?.isEmpty, true);
  assert.equal(record?.fields["missing"]?.raw, null);
  assert.deepEqual(record?.fields["deep"]?.value, { a: [1] });
});

test("one object is one record", () => {
  assert.deepEqual(
    values(
      compileExtraction(() => ({ a: 1 })),
      page(""),
    ),
    [{ a: 1 }],
  );
  assert.deepEqual(
    values(
      compileExtraction(() => []),
      page(""),
    ),
    [],
  );
});

test("an invalid result of a scraper's function is refused, odd values make their field malformed", () => {
  const rubbish = [
    null,
    undefined,
    "x",
    5,
    [1],
    [null],
    [[{ a: [] }], [[1]]],
    new Date(0),
    Promise.resolve([]),
    () => 0,
  ];
  for (const returned of rubbish) {
    assert.throws(() => compileExtraction(() => returned).read([page("")]), { code: "bad-return" });
  }
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  const [record] = compileExtraction(() => ({ nan: NaN, fn: () => 0, big: 1n, loop, good: 1 })).read([
    page(""),
  ]);
  for (const name of ["nan", "fn", "big", "loop"]) assert.ok(record?.fields[name]?.problem, name);
  assert.equal(record?.fields["good"]?.value, 1);
});

test("errors of a scraper's function are passed on unchanged", () => {
  const thrown = new RangeError("mine");
  assert.throws(() => compileExtraction(() => assert.fail(thrown)).read([page("")]), thrown);
});

test("with join, several pages make one record: each field from the first page that has it", () => {
  const extraction = compileExtraction({ from: ["owner", "bill"], join: true, fields });
  const owner = page("<b class=owner>ANN</b><b class=tax></b>", "owner");
  const bill = page("<b class=owner>BOB</b><b class=tax>$5</b>", "bill");
  assert.deepEqual(values(extraction, owner, bill), [{ owner: "ANN", tax: 5 }]);
  assert.equal(extraction.read([owner, bill])[0]?.from, "owner, bill");
  assert.deepEqual(values(extraction, bill), [{ owner: "BOB", tax: 5 }]);
  assert.throws(
    () => compileExtraction({ join: true, each: "tr", fields }),
    /extract\.join is for one record/,
  );
});
