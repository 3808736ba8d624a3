import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { parseHtml } from "./html-document.ts";
import type { HtmlDocument, HtmlElement } from "./html-document.ts";
import { compileSelector } from "./selector.ts";

const texts = (document: HtmlDocument, css: string, within?: HtmlElement): string[] =>
  document.all(compileSelector(css), within).map((element) => document.textOf(element));
const one = (document: HtmlDocument, css: string, within?: HtmlElement): HtmlElement => {
  const found = document.first(compileSelector(css), within);
  assert.ok(found, `${css} matches nothing`);
  return found;
};

test("text has its white space folded, blocks and line breaks separated, and no scripts", () => {
  const document =
    parseHtml(`<div id=a>  12&nbsp;Main <b>S</b>t<br>Spring\n field<script>var x = "<p>"</script>
    <style>b{}</style><ul><li>one<li>two</ul>end<template>never</template></div>`);
  assert.equal(document.textOf(one(document, "#a")), "12 Main St Spring field one two end");
});

test("a script element that is selected gives its text", () => {
  const document = parseHtml(`<script id=data type="application/json">{"a": "&amp;"}</script>`);
  assert.equal(document.rawTextOf(one(document, "#data")), `{"a": "&amp;"}`);
  assert.equal(document.textOf(one(document, "#data")), `{"a": "&amp;"}`);
});

test("raw text keeps its white space", () => {
  const document = parseHtml("<textarea>  a\n  b </textarea>");
  assert.equal(document.rawTextOf(one(document, "textarea")), "  a\n  b ");
});

test("attributes are decoded, the first of two wins, and inherited names are not attributes", () => {
  const document = parseHtml(`<a href="/x?a=1&amp;b=2" HREF="/y" disabled>go</a>`);
  const link = one(document, "a");
  assert.equal(document.attr(link, "href"), "/x?a=1&b=2");
  assert.equal(document.attr(link, "disabled"), "");
  assert.equal(document.attr(link, "title"), undefined);
  assert.equal(document.attr(link, "constructor"), undefined);
});

test("only ASCII letters of attribute names have two cases", () => {
  const document = parseHtml("<a Ä=1 \u0130=2 \u212a=3 Data-X=4>");
  const link = one(document, "a");
  assert.deepEqual(
    ["ä", "Ä", "\u0130", "k", "data-x"].map((name) => document.attr(link, name)),
    [undefined, "1", "2", undefined, "4"],
  );
});

test("an element has its position in the source and the source between its tags", () => {
  const page = "<ul>\n<li class=x> a &amp; <b>b</b><LI>c</ul><p>d<br>e</p ></div></p>f<table><td>g";
  const document = parseHtml(page);
  const sources = document
    .all(compileSelector("body *"))
    .map((element) => [
      element.tag,
      page.slice(document.offsetOf(element)).slice(0, 3),
      document.htmlOf(element),
    ]);
  assert.deepEqual(sources, [
    ["ul", "<ul", "\n<li class=x> a &amp; <b>b</b><LI>c"],
    ["li", "<li", " a &amp; <b>b</b>"],
    ["b", "<b>", "b"],
    ["li", "<LI", "c"],
    ["p", "<p>", "d<br>e"],
    ["br", "<br", ""],
    ["p", "</p", ""],
    ["table", "<ta", "<td>g"],
    ["tbody", "<td", "<td>g"],
    ["tr", "<td", "<td>g"],
    ["td", "<td", "g"],
  ]);
});

test("children are elements only, and the outermost element has no parent", () => {
  const document = parseHtml("<form>a<input><!-- c --><b>x</b></form>");
  const form = one(document, "form");
  const children = document.childrenOf(form);
  assert.deepEqual(
    children.map(({ tag }) => tag),
    ["input", "b"],
  );
  assert.equal(document.parentOf(children[0] ?? form), form);
  assert.equal(document.parentOf(form)?.tag, "body");
  assert.equal(document.parentOf(one(document, "html")), undefined);
});

test("within a row, selectors see the row's own descendants only", () => {
  const document = parseHtml(
    `<table><tr id=1><td>a<td><i>b</i><tr id=2><td>c<td><i>d</i><tr class=note><td>n</table>`,
  );
  const row = one(document, "tr + tr");
  assert.deepEqual(texts(document, "td", row), ["c", "d"]);
  assert.deepEqual(texts(document, "> td > i", row), ["d"]);
  assert.deepEqual(texts(document, ":scope > td:first-child", row), ["c"]);
  assert.deepEqual(texts(document, "tr td", row), [], "the row itself is not below the row");
  assert.deepEqual(texts(document, "+ tr.note td", row), ["n"]);
  assert.deepEqual(texts(document, "~ tr", one(document, "tr")), ["c d", "n"]);
});

test("rows at the top of a fragment are rows", () => {
  const document = parseHtml("<div class=row><b>a</b></div><div class=row><b>b</b></div>");
  const rows = document.all(compileSelector(".row"));
  assert.deepEqual(
    rows.map((row) => texts(document, "> b", row)),
    [["a"], ["b"]],
  );
  assert.deepEqual(texts(document, ".row b", rows[0]), []);
});

test("one selector can be used for nested rows", () => {
  const document = parseHtml(
    "<div id=page><p><div class=outer><div class=inner><i></i><b>1</b></div></div></p></div>",
  );
  const count = (css: string, within: string): number =>
    document.all(compileSelector(css), one(document, within)).length;
  assert.equal(count(":has(i) b", ".outer"), 1);
  assert.equal(count(":has(i) b", ".inner"), 0, "nothing below the inner one has an <i>");
});

test("a selector with :scope may look above the row", () => {
  const document = parseHtml("<div id=page><p><b>1</b></p></div>");
  assert.deepEqual(texts(document, "#page > :scope b", one(document, "p")), ["1"]);
});

test("a bad selector is refused by name", () => {
  for (const css of ["td[", "a::before", "#", ":no-such-thing", ">>"]) {
    assert.throws(() => compileSelector(css), { code: "bad-selector", selector: css }, css);
  }
});

test("a page nested without limit is read", () => {
  const depth = 20_000;
  const document = parseHtml(`${"<b>".repeat(depth)}deep${"</b>".repeat(depth)}`);
  assert.equal(document.textOf(one(document, "b")), "deep");
  assert.equal(document.all(compileSelector("b")).length, depth);
});

const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 10 }),
  fc.constantFrom(
    "<",
    "</",
    ">",
    "<p",
    "<td id='",
    '"',
    "<!--",
    "<svg><style>",
    "<title>",
    "&#x",
    "&nbsp",
    "<![CDATA[",
    "</br>",
  ),
);
const garbage = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));

test("random bytes are read as a page", () => {
  fc.assert(
    fc.property(garbage, (page) => {
      const document = parseHtml(page);
      for (const element of document.all(compileSelector("*"))) {
        assert.equal(typeof document.textOf(element), "string");
        assert.ok(!/^\s|\s$|\s\s|\u00a0/.test(document.textOf(element)));
      }
    }),
    { numRuns: 500 },
  );
});
