import assert from "node:assert/strict";
import { test } from "node:test";
import type { RawField } from "../domain/record.ts";
import type { Field } from "./define-field.ts";
import { compileExtraction } from "./extract-spec.ts";
import { field } from "./field.ts";
import { by } from "./place.ts";

const page = { name: "p", url: "https://county.example/", status: 200, mediaType: "text/html" };
const read = (of: Field<unknown>, text: string): RawField =>
  compileExtraction({ fields: { it: of } }).read([{ ...page, text }])[0]?.fields["it"] ?? assert.fail();

const payments = field.table("#pay", {
  columns: {
    year: field.number(by.column("Year")),
    billed: field.money(by.column("Amount billed")),
    note: field.text(by.column("Note")).optional(),
  },
});
const HEAD = "<thead><tr><th>Year</th><th>Amount&nbsp;Billed*</th><th>Note</th></tr></thead>";

test("rows are objects by the header above, typed by their fields", () => {
  const html = `<p>x</p><table id=pay>${HEAD}<tbody><tr><td>2024<td>$5.00<td>late<tr><td>2023<td>$4.00<td></table>`;
  const found = read(payments, html);
  assert.deepEqual(found.value, [
    { year: 2024, billed: 5, note: "late" },
    { year: 2023, billed: 4, note: null },
  ]);
  assert.equal(found.by, "#pay");
  assert.equal(found.at, html.indexOf("<table"));
});

test("the header may be the first row, of th or td, and its columns in any order", () => {
  for (const head of ["<tr><th>Note<th>Year<th>AMOUNT BILLED", "<tr><td>Note<td>Year<td>amount billed:"])
    assert.deepEqual(
      read(payments, `<table id=pay>${head}<tr><td>late<td>2024<td>$5</table>`).value,
      [{ year: 2024, billed: 5, note: "late" }],
      head,
    );
});

test("a title above the header is skipped", () => {
  const html = `<table id=pay><tr><td colspan=3>Payment history</td></tr><tr><td>Year<td>Amount billed<td>Note<tr><td>2024<td>$5<td></table>`;
  assert.deepEqual(read(payments, html).value, [{ year: 2024, billed: 5, note: null }]);
});

test("cells that span rows and columns are in all of them", () => {
  const html = `<table id=pay><tr><th>Year<th colspan=2>Amount billed<th>Note
    <tr><td rowspan=2>2024<td>$5<td>x<td>first<tr><td>$4<td>y<td>second</table>`;
  assert.deepEqual(read(payments, html).value, [
    { year: 2024, billed: 5, note: "first" },
    { year: 2024, billed: 4, note: "second" },
  ]);
});

test("of two header rows the lower one names a column, and both together", () => {
  const table = field.table("table", {
    columns: {
      land: field.money(by.column("2024 Land")),
      other: field.money(by.column("2023 Land")),
      total: field.money(by.column("Total")),
    },
  });
  const html = `<table><thead><tr><th colspan=2>2024<th colspan=2>2023<tr><th>Land<th>Total<th>Land<th>Total</thead>
    <tr><td>$1<td>$2<td>$3<td>$4</table>`;
  assert.deepEqual(read(table, html).value, [{ land: 1, other: 3, total: 2 }]);
});

test("titles, blank rows, repeated headers and footers are not rows", () => {
  const html = `<table id=pay>${HEAD}<tr><td colspan=3>History</td></tr><tr><td>2024<td>$5<td></tr><tr><td>&nbsp;<td><td></tr>
    <tr><th>Year<th>Amount Billed*<th>Note</tr><tr><td>2023<td>$4<td></tr><tfoot><tr><td>Total<td>$9<td></tr></tfoot></table>`;
  assert.deepEqual(
    (read(payments, html).value as { year: number }[]).map(({ year }) => year),
    [2024, 2023],
  );
});

test("a table without rows is empty; a table that is not there, or lacks a column, is missing", () => {
  assert.equal(
    read(payments, `<table id=pay>${HEAD}<tr><td colspan=3>No payments found</table>`).isEmpty,
    true,
  );
  const other = read(payments, "<table id=pay><tr><th>Year<th>Paid<tr><td>2024<td>$5</table>");
  assert.equal(other.raw, null);
  assert.match(other.problem ?? "", /Amount billed.*Year, Paid/);
  assert.deepEqual(read(payments, "<p>"), { raw: null, isEmpty: false, value: null });
});

test("a cell that cannot be read makes the table malformed, with its row", () => {
  const html = `<table id=pay>${HEAD}<tr><td>2024<td>$5<td><tr><td>2023<td>see clerk<td></table>`;
  assert.match(read(payments, html).problem ?? "", /row 2, billed/);
});

test("an optional cell that cannot be read is null", () => {
  const table = field.table("table", {
    columns: { a: field.text(by.column("A")), b: field.money(by.column("B")).optional() },
  });
  assert.deepEqual(read(table, "<table><tr><th>A<th>B<tr><td>x<td>abc</table>").value, [{ a: "x", b: null }]);
});

test("without columns, rows are texts by header", () => {
  const html =
    "<div id=pay><table><tr><th>Year<th>Year<th><th>__proto__<th>No. of acres<tr><td>2024<td>2025<td>--<td>x<td>7</table></div>";
  const [row] = read(field.table("#pay"), html).value as Record<string, unknown>[];
  assert.deepEqual(Object.entries(row ?? {}), [
    ["Year", "2024"],
    ["Year (2)", "2025"],
    ["column 3", null],
    ["__proto__", "x"],
    ["No. of acres", "7"],
  ]);
});

test("tables inside cells are not part of the outer table", () => {
  const html =
    "<table id=pay><tr><th>Year<th>Amount billed<tr><td>2024<td>$5<table><tr><td>9<td>8</table></table>";
  assert.equal((read(field.table("#pay"), html).value as unknown[]).length, 1);
});

test("links and other places are relative to the row", () => {
  const table = field.table("table", {
    columns: { bill: field.url(by.column("Bill")), id: field.attr("a", "data-id") },
  });
  assert.deepEqual(
    read(table, "<table><tr><th>Bill<th>X<tr><td><a data-id=7 href=/b/7>open</a><td>x</table>").value,
    [{ bill: "https://county.example/b/7", id: "7" }],
  );
});

test("a column outside a table is refused", () => {
  assert.throws(() => compileExtraction({ fields: { year: field.number(by.column("Year")) } }), {
    code: "bad-spec",
  });
});

test("a row span ends with its row group, counts rows without cells, and works after a missing column", () => {
  const table = field.table("table");
  const cases: readonly (readonly [html: string, rows: unknown])[] = [
    ["<thead><tr><th rowspan=2>a<th>b<tbody><tr><td>1<td>2", [{ a: "1", b: "2" }]],
    [
      "<tr><th>a<th>b<tbody><tr><td>1<td rowspan=9>2<tbody><tr><td>3<td>4",
      [
        { a: "1", b: "2" },
        { a: "3", b: "4" },
      ],
    ],
    [
      "<tr><th>a<th>b<tr><td>1<td rowspan=2>2<tr></tr><tr><td>3<td>4",
      [
        { a: "1", b: "2" },
        { a: "3", b: "4" },
      ],
    ],
    [
      "<tr><th>a<th>b<th>c<tr><td>1<td>2<td rowspan=2>3<tr><td>4<tr><td>5<td>6<td>7",
      [
        { a: "1", b: "2", c: "3" },
        { a: "4", b: null, c: "3" },
        { a: "5", b: "6", c: "7" },
      ],
    ],
  ];
  for (const [html, rows] of cases) assert.deepEqual(read(table, `<table>${html}</table>`).value, rows, html);
  const long = `<table><tr><th>a<th>b<tr><td rowspan=3000>1<td>2${"<tr><td>2".repeat(2999)}</table>`;
  const all = read(table, long).value as readonly unknown[];
  assert.deepEqual([all.length, all.at(-1)], [3000, { a: "1", b: "2" }]);
});

test("a table with millions of spanned cells is refused before it fills the memory", () => {
  const html = `<table>${"<tr><td colspan=1000>x".repeat(6000)}</table>`;
  assert.throws(() => read(field.table("table"), html), { name: "FailureError", message: /too-large/ });
});
