import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHtml } from "../../extraction/html-document.ts";
import { findLists, findRows, findTables } from "./find-rows.ts";
import { ENGLISH } from "./guess-kind.ts";

const row = (name: string, price: string, tags: readonly string[]): string =>
  `<div class="tool card-x"><h3>${name}</h3><span class="price">${price}</span><a href="/t/${name}">more</a>
   ${tags.map((tag) => `<i class="tag">${tag}</i>`).join("")}</div>`;
const listing = `<ul class="menu"><li class="item"><a>a</a></li><li class="item"><a>b</a></li><li class="item"><a>c</a></li></ul>
  <main>${row("Drill", "$40", ["wood", "metal"])}${row("Saw", "$8", ["wood"])}${row("Auger", "$12", ["water"])}</main>`;

test("the rows of a listing and their parts are found", () => {
  const found = findRows(parseHtml(listing), ENGLISH);
  assert.equal(found?.each, ".tool");
  assert.deepEqual(
    found.fields.map(({ label, choices: [first] }) => [label, first]),
    [
      ["title", { type: "text", place: { css: "h3" } }],
      ["price", { type: "money", place: { css: ".price" } }],
      ["tag", { type: "list", place: { css: ".tag" } }],
      ["url", { type: "url", place: { css: "a[href]" } }],
    ],
  );
});

test("the rows of a table below its header row are found", () => {
  const cells = ["Brest", "Metz", "Lyon"].map(
    (town) =>
      `<tr><td class="town"><a href="/${town}">${town}</a></td><td class="mayor">Mayor of ${town}</td></tr>`,
  );
  const table = `<table class="towns"><thead><tr><th>Town</th><th>Mayor</th></tr></thead><tbody>${cells.join("")}</tbody></table>`;
  const found = findRows(parseHtml(table), ENGLISH);
  assert.equal(found?.each, ".towns tbody tr");
  assert.deepEqual(
    found.fields.map(({ label }) => label),
    ["town", "mayor", "url"],
  );
});

test("a page without a repeated block has no rows", () => {
  assert.equal(findRows(parseHtml("<main><h1>x</h1><p class='a'>1</p></main>"), ENGLISH), undefined);
});

const listsOf = (html: string) =>
  findLists(parseHtml(html)).map(({ label, choices: [first] }) => [label, first]);
const drafted = (css: string) => ({ type: "list", place: { css } });

test("a list is named by the heading before it, else by its own name", () => {
  assert.deepEqual(listsOf('<h4>Exemptions</h4><ul class="ex"><li>A</li><li>B</li></ul>'), [
    ["Exemptions", drafted(".ex li")],
  ]);
  assert.deepEqual(listsOf('<h4>All that we know, and more!</h4><ul class="uses"><li>A</li></ul>'), [
    ["uses", drafted(".uses li")],
  ]);
});

const NONE: readonly (readonly [string, string])[] = [
  ["of links", '<ul class="x"><li><a href="/a">A</a></li><li><a href="/b">B</a></li></ul>'],
  ["in a footer", '<footer><ul class="x"><li>A</li></ul></footer>'],
  ["of lists", '<ul class="x"><li>A<ul><li>B</li></ul></li></ul>'],
  ["of choices", '<ul class="x"><li><input type="radio">A</li></ul>'],
  ["with a blank entry", '<ul class="x"><li>A</li><li></li></ul>'],
];
for (const [what, html] of NONE)
  test(`a list ${what} is left out`, () => assert.deepEqual(listsOf(html).slice(0, 1), []));

const ROWS =
  "<tr><th>Year</th><th>Paid on</th><th>Year</th></tr><tr><td>2025</td><td>01/31/2026</td><td>x</td></tr>";

test("a table with a header row is drafted with typed columns", () => {
  const [found] = findTables(parseHtml(`<h3>Payments made</h3><table id="paid">${ROWS}</table>`), ENGLISH);
  assert.equal(found?.label, "Payments made");
  assert.deepEqual(found.choices, [
    {
      type: "table",
      css: "#paid",
      columns: {
        year: { type: "number", place: { column: "Year" } },
        paidOn: { type: "date", options: { formats: ["MM/DD/YYYY"] }, place: { column: "Paid on" } },
        year2: { type: "text", place: { column: "Year" } },
      },
    },
  ]);
});

test("a table is named by its caption, else by the heading before it, else by its own name", () => {
  const nameOf = (html: string) => findTables(parseHtml(html), ENGLISH)[0]?.label;
  assert.equal(nameOf(`<h3>Before</h3><table id="paid"><caption>Inside</caption>${ROWS}</table>`), "Inside");
  assert.equal(nameOf(`<h3>Before</h3><div><table id="paid">${ROWS}</table></div>`), "Before");
  assert.equal(nameOf(`<table id="paid">${ROWS}</table>`), "paid");
});

const NO_TABLES: readonly (readonly [string, string])[] = [
  ["of layout", '<table id="t"><tr><td>a</td><td>b</td></tr></table>'],
  ["without rows", '<table id="t"><tr><th>a</th><th>b</th></tr></table>'],
  ["in a menu", `<nav><table id="t">${ROWS}</table></nav>`],
];
for (const [what, html] of NO_TABLES)
  test(`a table ${what} is left out`, () => assert.deepEqual(findTables(parseHtml(html), ENGLISH), []));
