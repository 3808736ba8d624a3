import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHtml } from "../../extraction/html-document.ts";
import { compileSelector } from "../../extraction/selector.ts";
import { anchorOf, isLook, looksGenerated, shortSelector } from "./short-selector.ts";

/** The selector for the elements that `mark` is on. */
const selectorIn = (html: string): string | undefined => {
  const document = parseHtml(html);
  return shortSelector(document, document.all(compileSelector("[mark]")));
};

test("a hand-written id is best", () => {
  assert.equal(selectorIn('<p id="market" class="price" mark>1</p>'), "#market");
});

test("a generated id is ignored in favour of what names the element", () => {
  assert.equal(selectorIn('<p id="ctl00_x" itemprop="price" mark>1</p>'), "[itemprop=price]");
  assert.equal(selectorIn('<p id="ctl00_x" class="css-1k3f9 price odd" mark>1</p>'), ".price");
});

test("a name that needs quotes gets them", () => {
  assert.equal(selectorIn('<p data-field="market value" mark>1</p>'), '[data-field="market value"]');
});

test("a class that is not unique is combined with its tag or its container", () => {
  assert.equal(selectorIn('<i class="price">2</i><b class="price" mark>1</b>'), "b.price");
  assert.equal(
    selectorIn('<div id="old"><b class="price">2</b></div><div id="new"><b class="price" mark>1</b></div>'),
    "#new .price",
  );
});

test("an element without any name has no selector rather than a long one", () => {
  assert.equal(selectorIn("<div><div><p>2</p><p mark>1</p></div></div>"), undefined);
});

test("inside a block, a tag is enough only if it says what it contains", () => {
  assert.equal(selectorIn('<div class="card"><h3 mark>1</h3></div>'), ".card h3");
  assert.equal(selectorIn('<div class="card"><a mark>1</a></div>'), undefined);
  assert.equal(selectorIn("<p>x</p><table mark></table>"), "table");
  assert.equal(selectorIn("<table></table><table mark></table>"), undefined);
});

test("several elements get the selector that finds exactly them", () => {
  assert.equal(
    selectorIn('<ul id="nav"><li>x</li></ul><ul class="uses"><li mark>a</li><li mark>b</li></ul>'),
    ".uses li",
  );
});

test("an anchor is the nearest ancestor with a unique name", () => {
  const document = parseHtml('<div id="a"><div class="b"><p>1</p></div></div><div class="b"></div>');
  assert.equal(anchorOf(document, document.first(compileSelector("p"))!), "#a");
});

test("generated ids and classes are recognised", () => {
  const byPrograms =
    "ctl00_body_lblOwner :r1: j_idt42 ember1234 ext-gen12 sc-bdVaJa css-1q2w3e jsx-42 Card_title__3xYz1 post-12345 c0ffee42 yui_3_17 7days";
  const byPeople =
    "market lblParcel taxYear owner-name card__label h2 address2 legal-class lbl_owner col4 entry-content productPrice";
  assert.deepEqual(
    byPrograms.split(" ").filter((word) => !looksGenerated(word)),
    [],
  );
  assert.deepEqual(byPeople.split(" ").filter(looksGenerated), []);
});

test("classes that describe only the look are recognised", () => {
  assert.deepEqual(
    "text-right col-md-6 odd is-open mt-4 wrapper".split(" ").filter((word) => !isLook(word)),
    [],
  );
  assert.deepEqual("text author price due-date right-of-way".split(" ").filter(isLook), []);
});
