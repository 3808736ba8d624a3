import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHtml } from "../../extraction/html-document.ts";
import { findLists } from "./find-rows.ts";

const found = (html: string) =>
  findLists(parseHtml(html)).map(({ label, choices: [first] }) => [label, first]);
const drafted = (css: string) => ({ type: "list", place: { css } });

test("a list is called by the heading before it, else by its own name", () => {
  assert.deepEqual(found('<h4>Exemptions</h4><ul class="ex"><li>A</li><li>B</li></ul>'), [
    ["Exemptions", drafted(".ex li")],
  ]);
  assert.deepEqual(found('<h4>All that we know, and more!</h4><ul class="uses"><li>A</li></ul>'), [
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
  test(`a list ${what} is left out`, () => assert.deepEqual(found(html).slice(0, 1), []));
