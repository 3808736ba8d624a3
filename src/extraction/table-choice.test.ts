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
const columns = { year: field.number(by.column("Year")), paid: field.money(by.column("Paid")) };
const payments = (css: string | readonly string[]): Field<unknown> => field.table(css, { columns });
const years = (found: RawField): unknown =>
  Array.isArray(found.value) ? found.value.map(({ year }: { year: number }) => year) : found;

const HEAD = "<tr><th>Year</th><th>Paid</th></tr>";
const row = (year: number): string => `<tr><td>${year}</td><td>$${year}.00</td></tr>`;

test("every table with the columns is taken, and no other", () => {
  const html = `<table>${HEAD}${row(1)}${row(2)}</table><table><tr><td>Menu</td><td>Home</td></tr></table>
    <table><tr><th>Paid</th><th>Note</th><th>Year</th></tr><tr><td>$3.00</td><td>x</td><td>3</td></tr></table><table>${HEAD}</table>`;
  const found = read(payments("table"), html);
  assert.deepEqual(years(found), [1, 2, 3]);
  assert.equal(found.by, "table");
  assert.equal(found.at, 0);
});

test("a selector may match an element around tables, or a part of a table", () => {
  const html = `<div id=h><table>${HEAD}${row(1)}</table><p>and</p><table id=t><tbody>${HEAD}${row(2)}</tbody></table></div><table>${HEAD}${row(3)}</table>`;
  assert.deepEqual(years(read(payments("#h"), html)), [1, 2]);
  assert.deepEqual(years(read(payments("#t tbody"), html)), [2]);
  assert.deepEqual(years(read(payments("#h, #h table"), html)), [1, 2]);
});

test("layout tables are skipped, and tables inside them are found", () => {
  const layout = (inside: string): string =>
    `<table><tr><td>Menu</td><td>News</td></tr><tr><td>x</td><td>${inside}</td></tr></table>`;
  const html = layout(`<table>${HEAD}${row(1)}</table>`);
  assert.deepEqual(years(read(payments("table"), html)), [1]);
  assert.deepEqual(read(field.table("table"), html).value, [{ Year: "1", Paid: "$1.00" }]);
  const said = `<table role=presentation><tr><td>a</td><td>b</td></tr></table><table>${HEAD}${row(1)}</table>`;
  assert.deepEqual(read(field.table("table"), said).value, [{ Year: "1", Paid: "$1.00" }]);
});

test("without columns, all tables with the first table's header are used, and `by` names them", () => {
  const html = `<table>${HEAD}${row(1)}</table><table><tr><th>Owner<th>Share<tr><td>Ann<td>1</table><table>${HEAD}${row(2)}</table>`;
  const found = read(field.table("table"), html);
  assert.deepEqual(found.value, [
    { Year: "1", Paid: "$1.00" },
    { Year: "2", Paid: "$2.00" },
  ]);
  assert.equal(found.by, "table (tables 1 and 3 of 3)");
});

test("the next selector is tried where no table has the columns, or none has a row", () => {
  const html = `<table id=a><tr><th>Year<th>Note<tr><td>1<td>x</table><table id=b>${HEAD}</table><table id=c>${HEAD}${row(2)}</table>`;
  assert.deepEqual(years(read(payments(["#a", "#c"]), html)), [2]);
  assert.deepEqual(years(read(payments(["#b", "#c"]), html)), [2]);
  assert.equal(read(payments(["#b", "#gone"]), html).isEmpty, true);
  assert.match(read(payments(["#a", "#gone"]), html).problem ?? "", /Paid.*Year, Note/);
});

test("a header among the rows starts a new part, a total in <th> does not", () => {
  const sections = `<table>${HEAD}${row(1)}<tr><th>Total</th><th>$1.00</th></tr>${row(2)}<tr><th>Paid</th><th>Year</th></tr>
    <tr><td>$3.00</td><td>3</td></tr>${HEAD}${row(4)}<tfoot>${row(5)}</tfoot></table>`;
  assert.deepEqual(years(read(payments("table"), sections)), [1, 2, 3, 4]);
  const heads = `<table><thead>${HEAD}</thead><tbody>${row(1)}</tbody><thead><tr><td>Paid</td><td>Year</td></tr></thead><tbody><tr><td>$2.00</td><td>2</td></tr></tbody></table>`;
  assert.deepEqual(years(read(payments("table"), heads)), [1, 2]);
});

test("a <thead> may hold only a title, all rows, or follow a title; and all cells may be <th>", () => {
  const title = "<tr><th colspan=2>Payments</th></tr>";
  for (const html of [
    `<table><thead>${title}</thead><tbody>${HEAD}${row(1)}${row(2)}</tbody></table>`,
    `<table><thead>${title}${HEAD}</thead><tbody>${row(1)}${row(2)}</tbody></table>`,
    `<table><thead>${HEAD}${row(1)}${row(2)}</thead></table>`,
    `<table>${HEAD}${`${row(1)}${row(2)}`.replaceAll("td>", "th>")}</table>`,
  ])
    assert.deepEqual(years(read(payments("table"), html)), [1, 2], html);
});

test("a table without rows is missing if it has no header, and a bad cell is shown with its position", () => {
  assert.equal(read(payments("table"), "<table></table>").raw, null);
  const html = `<table>${HEAD}${row(1)}</table><table>${HEAD}<tr><td>2</td><td>soon</td></tr></table>`;
  const found = read(payments("table"), html);
  assert.match(found.problem ?? "", /row 2, paid/);
  assert.equal(found.at, html.indexOf("<td>soon"));
});
