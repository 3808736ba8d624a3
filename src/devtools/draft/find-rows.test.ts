import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHtml } from "../../extraction/html-document.ts";
import { findRows } from "./find-rows.ts";
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
