import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHtml } from "../../extraction/html-document.ts";
import { findTables } from "./find-rows.ts";
import { ENGLISH } from "./guess-kind.ts";

const ROWS =
  "<tr><th>Year</th><th>Paid on</th><th>Year</th></tr><tr><td>2025</td><td>01/31/2026</td><td>x</td></tr>";

test("a table with a header row is drafted with its columns, each of its kind", () => {
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

test("a table is called by its caption, else by the heading before it, else by its own name", () => {
  const nameOf = (html: string) => findTables(parseHtml(html), ENGLISH)[0]?.label;
  assert.equal(nameOf(`<h3>Before</h3><table id="paid"><caption>Inside</caption>${ROWS}</table>`), "Inside");
  assert.equal(nameOf(`<h3>Before</h3><div><table id="paid">${ROWS}</table></div>`), "Before");
  assert.equal(nameOf(`<table id="paid">${ROWS}</table>`), "paid");
});

const NONE: readonly (readonly [string, string])[] = [
  ["of layout", '<table id="t"><tr><td>a</td><td>b</td></tr></table>'],
  ["without rows", '<table id="t"><tr><th>a</th><th>b</th></tr></table>'],
  ["in a menu", `<nav><table id="t">${ROWS}</table></nav>`],
];
for (const [what, html] of NONE)
  test(`a table ${what} is left out`, () => assert.deepEqual(findTables(parseHtml(html), ENGLISH), []));
