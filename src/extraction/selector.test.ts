import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { parseHtml } from "./html-document.ts";
import type { HtmlDocument, HtmlElement } from "./html-document.ts";
import { Reference } from "./testing/reference.ts";
import { compileSelector } from "./selector.ts";

// Small alphabets, so that ids repeat, nest and are really hit.
const tag = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("div", "span") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("p", "td", "tr", "form", "template", "br", "script", "svg", "title"),
  },
);
const opened = fc
  .tuple(tag, fc.option(fc.constantFrom("x", "y")), fc.option(fc.constantFrom("a", "b", "a b")))
  .map(([name, id, names]) => [
    name,
    `<${name}${id === null ? "" : ` id=${id}`}${names === null ? "" : ` class="${names}"`}>`,
  ]);
const scrap = fc.oneof(
  fc.constantFrom(
    "text",
    "&amp;",
    " ",
    "&nbsp;",
    "<!-- c -->",
    "<",
    "<br/>",
    "<p id='x",
    "<!doctype html>",
    "</",
  ),
  fc.constantFrom(
    "<![CDATA[x]]>",
    "<svg><b id=x/>",
    "</div>",
    "<span>",
    "<div id=x>",
    "</p>",
    "</br>",
    "<form id=y>",
    "&lt",
    "</template>",
  ),
);
const { html } = fc.letrec<{ html: string; node: string }>((tie) => ({
  html: fc.array(tie("node"), { maxLength: 5, depthIdentifier: "html" }).map((nodes) => nodes.join("")),
  node: fc.oneof(
    { depthIdentifier: "html", maxDepth: 5 },
    { weight: 1, arbitrary: scrap },
    {
      weight: 5,
      arbitrary: fc.tuple(opened, tie("html")).map(([[name, open], inside]) => `${open}${inside}</${name}>`),
    },
  ),
}));

const simple = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("#x", "#y", ".a", ".b") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "[id]",
      "[id=x]",
      '[class~="a"]',
      ":first-child",
      ":nth-child(2)",
      ":last-child",
      ":empty",
      ":not(#x)",
      ":not(.a)",
      ":has(#y)",
      ":is(#x, .b)",
      ":contains(text)",
      ":nth-of-type(1)",
      ":only-child",
      ":root",
      ":has(> .a)",
    ),
  },
);
const compound = fc.oneof(
  { weight: 3, arbitrary: simple },
  fc.constantFrom("div", "span", "*", "p"),
  fc.tuple(fc.constantFrom("div", "span", "*", "template"), simple).map((both) => both.join("")),
  fc.tuple(simple, simple).map((both) => both.join("")),
);
const combinator = fc.oneof(
  { weight: 3, arbitrary: fc.constant(" ") },
  fc.constantFrom(" > ", ">", " + ", "~", "\t"),
);
const complex = fc
  .tuple(compound, fc.array(fc.tuple(combinator, compound), { maxLength: 2 }))
  .map(([first, others]) => first + others.flat().join(""));
const css = fc.oneof(
  { weight: 4, arbitrary: complex },
  fc.tuple(complex, complex).map((both) => both.join(", ")),
);

/** The places of elements in document order, those in templates counted too. */
const placesOf = (document: HtmlDocument, found: readonly HtmlElement[]): number[] => {
  const below = (element: HtmlElement): HtmlElement[] => [
    element,
    ...document.childrenOf(element).flatMap(below),
  ];
  const all = document.all(compileSelector(":root")).flatMap(below);
  return found.map((element) => all.indexOf(element));
};

test("on any page any selector finds what css-select finds on a full DOM, repeated ids and templates included", () => {
  let hits = 0;
  fc.assert(
    fc.property(html, css, (page, selector) => {
      const document = parseHtml(page);
      const compiled = compileSelector(selector);
      const expected = new Reference(page).find(selector);
      hits += expected.length;
      assert.deepEqual(placesOf(document, document.all(compiled)), expected);
      const first = document.first(compiled);
      assert.deepEqual(placesOf(document, first === undefined ? [] : [first]), expected.slice(0, 1));
    }),
    { numRuns: 3000 },
  );
  assert.ok(hits > 500, `only ${hits} matches: the pages do not exercise the selectors`);
});

test("within any element any selector finds what css-select finds there", () => {
  let hits = 0;
  const relative = fc
    .tuple(fc.constantFrom("", "", "> ", "+ ", "~ ", ":scope > ", ":scope "), complex)
    .map((both) => both.join(""));
  fc.assert(
    fc.property(html, relative, fc.nat(20), (page, selector, pick) => {
      const reference = new Reference(page);
      const document = parseHtml(page);
      const rows = document.all(compileSelector("html *"));
      const row = rows[pick % rows.length];
      // In parse5's tree a template has no children.
      if (row === undefined || row.tag === "template") return;
      const [at] = placesOf(document, [row]);
      const expected = reference.find(selector, at);
      hits += expected.length;
      assert.deepEqual(placesOf(document, document.all(compileSelector(selector), row)), expected);
    }),
    { numRuns: 3000 },
  );
  assert.ok(hits > 100, `only ${hits} matches: the pages do not exercise the selectors`);
});
