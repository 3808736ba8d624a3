import assert from "node:assert/strict";
import { test } from "node:test";
import type { Field } from "../define-field.ts";
import { compileExtraction } from "../extract-spec.ts";
import { field } from "../field.ts";
import { by } from "../place.ts";

const page = { name: "p", url: "https://county.example/", status: 200, mediaType: "text/html" };
const owner = field.text(by.label("Owner"));
const value = field.text(by.label("Market value"));

const read = (html: string, fields: Record<string, Field<unknown>> = { owner, value }): unknown[] => {
  const [record] = compileExtraction({ fields }).read([{ ...page, text: html }]);
  return Object.values(record?.fields ?? {}).map(({ raw, isEmpty, value: found }) =>
    raw === null ? "missing" : isEmpty ? "empty" : found,
  );
};

const LAYOUTS: readonly (readonly [name: string, html: string])[] = [
  [
    "th and td",
    "<table><tr><th>Owner</th><td>ANN</td></tr><tr><th>Market value</th><td>$5</td></tr></table>",
  ],
  [
    "captions inside of cells, as ASP.NET writes them",
    `<table><tr><td class=label nowrap><span class=caption>Owner:</span></td><td class=value><span id=lblOwner>ANN</span></td></tr>
     <tr><td class=label><span>Market&nbsp;Value:</span></td>\n<td><span>$5</span></td></tr></table>`,
  ],
  [
    "label value label value",
    "<table><tr><td>Owner</td><td>ANN</td><td>Market value</td><td>$5</td></tr></table>",
  ],
  [
    "th pairs in one row",
    "<table><tr><th>Owner</th><td>ANN</td><th>Market value</th><td>$5</td></tr></table>",
  ],
  [
    "header above",
    "<table><thead><tr><th>Year</th><th>Owner</th><th>Market Value</th></tr></thead><tbody><tr><td>2024</td><td>ANN</td><td>$5</td></tr><tr><td>2023</td><td>BOB</td><td>$4</td></tr></tbody></table>",
  ],
  [
    "header above, of td in bold",
    "<table><tr><td><b>Year</b></td><td><b>Owner</b></td><td><b>Market Value</b></td></tr><tr><td>2024</td><td>ANN</td><td>$5</td></tr></table>",
  ],
  [
    "header above, with a span and sort links",
    "<table><tr><th colspan=2>Parcel</th><th><a href=?s=1>Owner</a></th><th><a href=?s=2>Market Value</a></th></tr><tr><td>1</td><td>2</td><td>ANN</td><td>$5</td></tr></table>",
  ],
  ["definition list", "<dl><dt>Owner<dd>ANN<dt>Market value<dd>$5</dl>"],
  [
    "definition list with wrappers",
    "<dl><div><dt>Owner:</dt><dd>ANN</dd></div><div><dt>Market value:</dt><dd>$5</dd></div></dl>",
  ],
  ["bold label in a paragraph", "<p><b>Owner:</b> ANN<br><b>Market value:</b> $5</p>"],
  ["bold label, colon outside", "<p><strong>Owner</strong>: ANN</p><p><strong>Market value</strong>: $5</p>"],
  [
    "list items",
    "<ul><li><strong>Owner:</strong> ANN</li><li><strong>Market Value:</strong> <span>$5</span></li></ul>",
  ],
  ["plain text", "<p>Owner: ANN</p><div>Market value: $5</div>"],
  ["text with breaks", "<p>Owner: ANN<br>Market value: $5<br></p>"],
  ["text with bars", "<p>Owner: ANN | Market value: $5</p>"],
  [
    "grid of divs",
    "<div class=grid><div>Owner</div><div>ANN</div><div>Market value</div><div>$5</div></div>",
  ],
  [
    "rows of divs",
    "<div class=row><div class=col-4>Owner</div><div class=col-8>ANN</div></div><div class=row><div class=col-4><span>Market value</span></div><div class=col-8><p>$5</p></div></div>",
  ],
  [
    "spans",
    "<li><span class=k>Owner</span><span class=v>ANN</span></li><li><span class=k>Market value</span> <span class=v>$5</span></li>",
  ],
  ["label above", "<div><h4>Owner</h4><p>ANN</p></div><div><h4>Market value</h4><p>$5</p></div>"],
  [
    "form controls",
    `<label for=o>Owner</label><input id=o value="ANN" disabled><label>Market value <input readonly value="$5"></label>`,
  ],
  [
    "controls in cells",
    `<table><tr><td><label>Owner</label></td><td><input value=ANN></td></tr><tr><td>Market value</td><td><select><option>$4<option selected>$5</select></td></tr></table>`,
  ],
  [
    "a span that a label is for",
    "<label for=o>Owner:</label> <span id=o>ANN</span><label for=m>Market value:</label><b id=m>$5</b>",
  ],
  [
    "footnotes",
    "<table><tr><th>Owner<sup>1</sup></th><td>ANN</td></tr><tr><th>Market Value *</th><td>$5</td></tr></table>",
  ],
  [
    "footnotes in brackets",
    "<table><tr><th>OWNER [1]</th><td>ANN</td></tr><tr><th>MARKET VALUE (2):</th><td>$5</td></tr></table>",
  ],
  [
    "nested layout tables",
    "<table><tr><td><table><tr><td>Owner</td></tr></table></td><td>ANN</td></tr><tr><td><table><tr><td>Market value</td><td>$5</td></tr></table></td></tr></table>",
  ],
  [
    "a cell for the colon",
    "<table><tr><td>Owner</td><td>:</td><td>ANN</td></tr><tr><td>Market value</td><td>:</td><td>$5</td></tr></table>",
  ],
  [
    "responsive cells",
    "<table><tr><td data-label='Owner'>ANN</td><td data-label='Market value'>$5</td></tr></table>",
  ],
  [
    "label and value stacked in cells",
    "<table><tr><td>Owner</td></tr><tr><td>ANN</td></tr><tr><td>Market value</td></tr><tr><td>$5</td></tr></table>",
  ],
  [
    "label and value in one cell",
    "<table><tr><td><b>Owner</b><br>ANN</td><td><b>Market value</b><br>$5</td></tr></table>",
  ],
  ["escaped text around", "<p>Owner: ANN</p><p>Tax &amp; fees: $1</p><p>Market value: $5</p>"],
  [
    "menu of the same words first",
    "<nav><ul><li><a href=#o>Owner</a></li><li><a href=#m>Market value</a></li></ul></nav><table><tr><th>Owner</th><td>ANN</td></tr><tr><th>Market value</th><td>$5</td></tr></table>",
  ],
  [
    "prose with the same words first",
    "<p>The <b>owner</b> of a parcel pays. Its <i>market value</i> is set yearly.</p><dl><dt>Owner</dt><dd>ANN</dd><dt>Market value</dt><dd>$5</dd></dl>",
  ],
];

test("a value that looks like another label is a value if it is next to its own label", () => {
  const occupied = { by: field.text(by.label("Occupied by")), owner };
  for (const html of [
    "<table><tr><th>Occupied by</th><td>Owner</td></tr><tr><th>Owner</th><td>ANN</td></tr></table>",
    "<table><tr><td>Occupied by</td><td>Owner</td></tr><tr><td>Owner</td><td>ANN</td></tr></table>",
    "<table><tr><td>Occupied by</td><td>Owner</td><td>Owner</td><td>ANN</td></tr></table>",
    "<dl><dt>Owner<dd>ANN<dt>Occupied by<dd>Owner</dl>",
    "<div><div>Occupied by</div><div>Owner</div><div>Owner</div><div>ANN</div></div>",
    "<p>Occupied by: Owner</p><p>Owner: ANN</p>",
  ])
    assert.deepEqual(read(html, occupied), ["Owner", "ANN"], html);
});

test("of two equal labels the first counts, even if it is blank", () => {
  const html =
    "<table><tr><th>Owner</th><td></td></tr><tr><th>Market value</th><td>$5</td></tr></table><table><tr><th>Owner</th><td>BOB</td></tr></table>";
  assert.deepEqual(read(html), ["empty", "$5"]);
});

test("separator cells are skipped, and hidden cells are not read", () => {
  const html = `<template><table><tr><th>Owner</th><td>{{owner}}</td></tr></table></template>
    <table><tr><td>Owner</td><td width=10>&nbsp;</td><td>ANN</td></tr><tr><td>Market value</td><td class="cell spacer"></td><td>$5</td></tr></table>`;
  assert.deepEqual(read(html), ["ANN", "$5"]);
});

test("a hint after a label does not hide it, and a value may follow without a colon", () => {
  const html =
    "<table><tr><th>Owner <span class=tip>The owner of record</span></th><td>ANN</td></tr></table><div>Market value <b>$5</b></div>";
  assert.deepEqual(read(html), ["ANN", "$5"]);
});

test("a label's value is found in every usual layout", () => {
  for (const [name, html] of LAYOUTS) assert.deepEqual(read(html), ["ANN", "$5"], name);
});

test("the order of the rows does not matter", () => {
  assert.deepEqual(
    read("<table><tr><th>Market value</th><td>$5</td></tr><tr><th>Owner</th><td>ANN</td></tr></table>"),
    ["ANN", "$5"],
  );
});

test("a label with nothing beside it is empty, and another label is never its value", () => {
  const blank = [
    "<table><tr><th>Owner</th><td></td></tr><tr><th>Market value</th><td>$5</td></tr></table>",
    "<table><tr><td>Owner</td><td>&nbsp;</td><td>Market value</td><td>$5</td></tr></table>",
    "<table><tr><th>Owner</th><th>Market value</th></tr><tr><td></td><td>$5</td></tr></table>",
    "<dl><dt>Owner</dt><dd></dd><dt>Market value</dt><dd>$5</dd></dl>",
    "<p><b>Owner:</b><br><b>Market value:</b> $5</p>",
    "<p><b>Owner:</b></p><p><b>Market value:</b> $5</p>",
    "<ul><li><b>Owner:</b></li><li><b>Market value:</b> $5</li></ul>",
    "<p>Owner:<br>Market value: $5</p>",
    "<p>Owner: </p><p>Market value: $5</p>",
    "<div><div>Owner</div><div></div><div>Market value</div><div>$5</div></div>",
    "<div class=row><div>Owner</div><div></div></div><div class=row><div>Market value</div><div>$5</div></div>",
    "<div><span>Owner:</span><span></span></div><div><span>Market value:</span><span>$5</span></div>",
    "<label for=o>Owner</label><input id=o><label for=m>Market value</label><input id=m value=$5>",
  ];
  for (const html of blank) assert.deepEqual(read(html), ["empty", "$5"], html);
});

test("a label without a cell for its value is missing", () => {
  for (const html of [
    "<table><tr><th>Owner</th></tr><tr><th>Market value</th><td>$5</td></tr></table>",
    "<table><tr><td><span>Owner:</span></td></tr><tr><td><span>Market value:</span></td><td>$5</td></tr></table>",
    "<table><tr><td>Owner:</td><td>Market value:</td><td>$5</td></tr></table>",
    "<dl><dt>Owner</dt><dt>Market value</dt><dd>$5</dd></dl>",
    "<div><div>Owner:</div><div>Market value:</div><div>$5</div></div>",
    "<table><tr><th>Owner</th><th>x</th></tr></table><p>Market value: $5</p>",
  ])
    assert.deepEqual(read(html), ["missing", "$5"], html);
});

test("a label that is not on the page is missing, whatever its neighbours are", () => {
  for (const html of [
    "<table><tr><th>Market value</th><td>$5</td></tr></table>",
    "<table><tr><th>Former owner</th><td>BOB</td></tr><tr><th>Owner address</th><td>1 Elm</td></tr><tr><th>Market value</th><td>$5</td></tr></table>",
    "<p>The owner may appeal.</p><dl><dt>Market value</dt><dd>$5</dd></dl>",
    "<a href=/owner>Owner</a> <a href=/x>Search</a><dl><dt>Market value</dt><dd>$5</dd></dl>",
  ])
    assert.deepEqual(read(html), ["missing", "$5"], html);
});

test("a label is searched only inside `within`", () => {
  const html =
    "<div id=a><table><tr><th>Owner</th><td>ANN</td></tr></table></div><div id=b><table><tr><th>Owner</th><td>BOB</td></tr></table></div>";
  assert.deepEqual(read(html, { owner: field.text(by.label("Owner", { within: "#b" })) }), ["BOB"]);
  assert.deepEqual(read(html, { owner: field.text(by.label("Owner", { within: "#c" })) }), ["missing"]);
});

test("links, lists and source are taken from the cell beside a label", () => {
  const html = `<table><tr><th>Site</th><td><a href=/home>our site</a></td></tr><tr><th>Web</th><td>www.town.example</td></tr>
    <tr><th>Tags</th><td><ul><li>a<li>b</ul></td></tr><tr><th>Note</th><td><i>x</i></td></tr><tr><th>Mail</th><td><a href="mailto:a@b.example">write</a></td></tr></table>`;
  assert.deepEqual(
    read(html, {
      site: field.url(by.label("Site")),
      web: field.url(by.label("Web")),
      tags: field.list(by.label("Tags")),
      note: field.html(by.label("Note")),
      mail: field.email(by.label("Mail")),
    }),
    ["https://county.example/home", "http://www.town.example/", ["a", "b"], "<i>x</i>", "a@b.example"],
  );
});

test("in rows of records each label belongs to its row", () => {
  const extraction = compileExtraction({ each: ".card", fields: { owner, value } });
  const text =
    "<div class=card><b>Owner:</b> ANN<br><b>Market value:</b> $5</div><div class=card><b>Owner:</b> BOB</div>";
  assert.deepEqual(
    extraction.read([{ ...page, text }]).map(({ fields }) => [fields["owner"]?.value, fields["value"]?.raw]),
    [
      ["ANN", "$5"],
      ["BOB", null],
    ],
  );
});
