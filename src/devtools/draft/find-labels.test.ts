import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHtml } from "../../extraction/html-document.ts";
import { findLabels } from "./find-labels.ts";
import { ENGLISH } from "./guess-kind.ts";

const pairsIn = (html: string): Record<string, string | undefined> =>
  Object.fromEntries(findLabels(parseHtml(html), ENGLISH).map(({ label, texts }) => [label, texts?.[0]]));

const LAYOUTS: readonly (readonly [string, string])[] = [
  ["th and td", "<table><tr><th>Owner</th><td>SMITH</td></tr></table>"],
  ["td and td", "<table><tr><td>Owner</td><td>SMITH</td></tr></table>"],
  [
    "label and value twice in a row",
    "<table><tr><th>Owner</th><td>SMITH</td><th>City</th><td>X</td></tr></table>",
  ],
  [
    "nested tables",
    "<table><tr><td><table><tr><td>Owner:</td><td>SMITH</td></tr></table></td><td>z</td></tr></table>",
  ],
  ["a definition list", "<dl><dt>Owner</dt><dd>SMITH</dd></dl>"],
  ["spans by class", '<p><span class="label">Owner</span><span class="value">SMITH</span></p>'],
  ["BEM classes", '<div><span class="card__label">Owner</span><span class="card__text">SMITH</span></div>'],
  ["a colon", "<p><b>Owner:</b> <i>SMITH</i></p>"],
  ["a colon without a blank", "<p><b>Owner:</b><i>SMITH</i></p>"],
];
for (const [what, html] of LAYOUTS)
  test(`${what}: the value beside its label is found`, () => assert.equal(pairsIn(html)["Owner"], "SMITH"));

const NO_LABELS: readonly (readonly [string, string])[] = [
  [
    "a row below a header row",
    "<table><tr><th>Year</th><th>Paid</th></tr><tr><td>2025</td><td>$5</td></tr></table>",
  ],
  ["a word in bold in prose", "<p><b>Lemon:</b> the zest of one is <i>enough</i></p>"],
  ["a list below its heading", "<div><b>Uses:</b><ul><li>wood</li></ul></div>"],
  ["a menu", "<nav><b>Owner:</b> <i>SMITH</i></nav>"],
  ["a footer by its class", '<div class="site-footer"><b>Owner:</b> <i>SMITH</i></div>'],
  [
    "a block that repeats",
    "<p><b>Time:</b> <i>1</i></p><p><b>Time:</b> <i>2</i></p><p><b>Time:</b> <i>3</i></p>",
  ],
  ["a cell without a value", "<table><tr><th>Owner</th><td></td></tr></table>"],
  [
    "layout",
    "<table><tr><td>A long text that stands in a cell for the sake of where it is shown.</td><td>x</td></tr></table>",
  ],
];
for (const [what, html] of NO_LABELS)
  test(`${what} has no labels`, () => assert.deepEqual(pairsIn(html), {}));

test("a value is found by its own name first, then by its label", () => {
  const html =
    '<table id="facts"><tr><th>Due</th><td id="due">01/31/2027</td></tr><tr><th>Paid</th><td id="ctl00_p">$5</td></tr></table>';
  const [due, paid] = findLabels(parseHtml(html), ENGLISH);
  assert.deepEqual(due?.choices[0], {
    type: "date",
    options: { formats: ["MM/DD/YYYY"] },
    place: { css: "#due" },
  });
  assert.deepEqual(paid?.choices[0], { type: "money", place: { label: "Paid" } });
});

const LINKS: readonly (readonly [string, string, string])[] = [
  ["Website", '<a href="https://x.example/">Visit us</a>', "url"],
  ["Where", '<a href="/go?5">www.x.example</a>', "url"],
  ["Where", "https://x.example/a", "url"],
  ["Contact", '<a href="mailto:a@x.example">Write to us</a>', "email"],
  ["Contact", '<a href="tel:+15125550142">Call us</a>', "phone"],
  ["Owner", '<a href="/search?owner=SMITH">SMITH</a>', "text"],
  ["Value", '<a href="#note">$5</a>', "money"],
];
for (const [label, html, type] of LINKS)
  test(`${label}: ${html} is a ${type}`, () => {
    const page = parseHtml(`<table><tr><th>${label}</th><td>${html}</td></tr></table>`);
    assert.equal(findLabels(page, ENGLISH)[0]?.choices[0]?.type, type);
  });
