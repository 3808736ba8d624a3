import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHtml } from "../../extraction/html-document.ts";
import { compileSelector } from "../../extraction/selector.ts";
import { anchorOf, shortSelector } from "./short-selector.ts";

/** The selector for the elements that `mark` is on. */
const selectorIn = (html: string): string | undefined => {
  const document = parseHtml(html);
  return shortSelector(document, document.all(compileSelector("[mark]")));
};

test("an id that a person wrote is best", () => {
  assert.equal(selectorIn('<p id="market" class="price" mark>1</p>'), "#market");
});

test("an id that a program wrote is passed over for what names the element", () => {
  assert.equal(selectorIn('<p id="ctl00_x" itemprop="price" mark>1</p>'), "[itemprop=price]");
  assert.equal(selectorIn('<p id="ctl00_x" class="css-1k3f9 price odd" mark>1</p>'), ".price");
});

test("a name that needs quotes has them", () => {
  assert.equal(selectorIn('<p data-field="market value" mark>1</p>'), '[data-field="market value"]');
});

test("a class that others have too is told apart by its tag, or by what it stands in", () => {
  assert.equal(selectorIn('<i class="price">2</i><b class="price" mark>1</b>'), "b.price");
  assert.equal(
    selectorIn('<div id="old"><b class="price">2</b></div><div id="new"><b class="price" mark>1</b></div>'),
    "#new .price",
  );
});

test("an element that nothing names has no selector rather than a long one", () => {
  assert.equal(selectorIn("<div><div><p>2</p><p mark>1</p></div></div>"), undefined);
});

test("a tag is enough inside of a block only where it tells what stands in it", () => {
  assert.equal(selectorIn('<div class="card"><h3 mark>1</h3></div>'), ".card h3");
  assert.equal(selectorIn('<div class="card"><a mark>1</a></div>'), undefined);
  assert.equal(selectorIn("<p>x</p><table mark></table>"), "table");
  assert.equal(selectorIn("<table></table><table mark></table>"), undefined);
});

test("several elements have the selector that finds all of them and no other", () => {
  assert.equal(
    selectorIn('<ul id="nav"><li>x</li></ul><ul class="uses"><li mark>a</li><li mark>b</li></ul>'),
    ".uses li",
  );
});

test("an anchor is the nearest element above that can be named alone", () => {
  const document = parseHtml('<div id="a"><div class="b"><p>1</p></div></div><div class="b"></div>');
  assert.equal(anchorOf(document, document.first(compileSelector("p"))!), "#a");
});
