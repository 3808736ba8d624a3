import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHtml } from "../extraction/html-document.ts";
import { compileSelector } from "../extraction/selector.ts";
import { explainSelector } from "./explain-selector.ts";

const document = parseHtml(`<body>
<h1 class="title">Parcel</h1>
<table id="account">
  <tr><td class="lbl">Owner</td><td class="val owner-name">ALLEN</td></tr>
  <tr><td class="lbl">Situs</td><td class="val">1 MAIN ST</td></tr>
</table>
<p class="rate" data-kind="total">1.07 %</p>
</body>`);

const reached = (css: string): string | undefined => {
  const element = explainSelector(document, css)?.reached;
  return element && `${element.tag}${document.attr(element, "id") ?? ""}`;
};
const hints = (css: string): string[] => explainSelector(document, css)!.hints.map(({ text }) => text);

test("a selector that matches has no explanation", () => {
  assert.equal(explainSelector(document, "#account td.val"), undefined);
  assert.equal(explainSelector(document, "#nothing, .rate"), undefined);
});

const trails: readonly (readonly [string, string | undefined, RegExp])[] = [
  ["#account .ownr", "tableaccount", /`#account` is there, but nothing inside it matches `\.ownr`/],
  ["#account > td", "tableaccount", /`#account` is there, but no child of it matches `td`/],
  ["#account td.owner", "td", /`#account td` is there 4 times, but none of them is `\.owner`/],
  ["h1 + p", "h1", /`h1` is there, but nothing right after it matches `p`/],
  ["h1.titel", "h1", /`h1` is there, but it is not `\.titel`/],
  ["#acount td", undefined, /nothing on the page matches `#acount`/],
  ["#acount, .title b", "h1", /`\.title` is there, but nothing inside it matches `b`/],
];
for (const [css, element, reason] of trails)
  test(`${css} is explained by how far it matches`, () => {
    assert.equal(reached(css), element);
    assert.match(explainSelector(document, css)!.reason, reason);
  });

test("similar ids and classes of the page are suggested", () => {
  assert.deepEqual(hints("#acount td"), ["similar: `#account`"]);
  assert.deepEqual(hints("td.owner"), ["similar: `.owner-name`"]);
  assert.deepEqual(hints('[data-kind="totals"]'), ['similar: `[data-kind="total"]`']);
  assert.deepEqual(hints(".unheard-of"), []);
});

test("a match elsewhere on the page is suggested", () => {
  assert.deepEqual(hints("#account .rate"), ["`.rate` is elsewhere on the page"]);
});

test("inside a row, only the row is searched", () => {
  const row = document.first(compileSelector("tr:nth-of-type(2)"));
  const trail = explainSelector(document, ".owner-name", row);
  assert.match(trail!.reason, /nothing in the row matches `\.owner-name`/);
  assert.equal(trail!.hints[0]!.text, "`.owner-name` is outside the row");
  assert.equal(explainSelector(document, "> td.val", row), undefined);
});
