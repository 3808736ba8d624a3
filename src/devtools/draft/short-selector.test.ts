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

test("ids and classes that programs write are told from those that people write", () => {
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

test("classes that say how a thing looks are told from those that say what it is", () => {
  assert.deepEqual(
    "text-right col-md-6 odd is-open mt-4 wrapper".split(" ").filter((word) => !isLook(word)),
    [],
  );
  assert.deepEqual("text author price due-date right-of-way".split(" ").filter(isLook), []);
});
