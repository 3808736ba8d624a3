import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import * as fc from "fast-check";
import { compileExtraction } from "./extract-spec.ts";
import type { Extraction, ReadablePage } from "./extract-spec.ts";
import { field } from "./field.ts";
import { parseHtml } from "./html-document.ts";
import { by } from "./place.ts";
import { compileSelector } from "./selector.ts";

const page = (text: string): ReadablePage => ({
  name: "p",
  url: "https://county.example/a/b",
  status: 200,
  mediaType: "text/html",
  text,
});

/** A document that was already queried is not scanned again. */
function parsed(text: string): ReadablePage {
  const document = parseHtml(text);
  assert.equal(document.isParsed, false);
  document.first(compileSelector("body"));
  assert.equal(document.isParsed, true);
  return { ...page(text), document };
}

/** A document that was not queried yet costs nothing: the page is scanned. */
const unparsed = (text: string): ReadablePage => ({ ...page(text), document: parseHtml(text) });

const fields = {
  text: field.text([".a b", "#x", "p"]),
  money: field.money(["td:nth-child(2)", ".b"]),
  list: field.list("li, .c").optional(),
  link: field.url(["a.b", "a"]),
  written: field.url("td"),
  attr: field.attr("[data-k]", "data-k"),
  html: field.html("div > p"),
  mail: field.email("a, .c"),
  phone: field.phone("td", { country: "US" }),
  meta: field.text(by.meta("og:title")),
  ld: field.text(by.jsonLd("Recipe", "name")),
  state: field.number(by.state("window.S", "a.b")),
  regex: field.text(by.regex(/Rate:\s*(\d+)/)),
  label: field.text(by.label("Owner")),
  labelled: field.url(by.label("Owner")),
  unstreamed: field.text("p:last-child"),
  none: field.text(".gone", { none: "#x" }),
  noneInText: field.text(".gone", { none: /no such/i }),
  rows: field.each("li", { k: field.text("b").optional() }),
  group: field.object({ a: field.text("p"), b: field.text("b") }, { within: "div" }),
};

const CASES: readonly Extraction[] = [
  compileExtraction({ fields }),
  compileExtraction({ each: "div, tr", fields }),
  compileExtraction({ each: "p:last-child", fields }),
];

function assertSame(text: string): void {
  for (const extraction of CASES) {
    const scanned = extraction.read([page(text)]);
    assert.deepEqual(extraction.read([parsed(text)]), scanned, text);
    assert.deepEqual(extraction.read([unparsed(text)]), scanned, text);
  }
}

const attributes = fc.constantFrom(
  "",
  " class=a",
  " class='b c'",
  " id=x",
  " data-k=' 1  2 '",
  " href='/q?a=1&amp;b'",
  " href='mailto:a@b.example'",
  " name=og:title content='T &amp; t'",
);
const tag = fc.constantFrom(
  "div",
  "p",
  "b",
  "a",
  "td",
  "tr",
  "table",
  "li",
  "ul",
  "base",
  "meta",
  "script",
  "br",
  "body",
);
const text = fc.constantFrom(
  "Owner:",
  "Owner",
  "$1,234.50",
  "(512) 555-0142",
  "Rate: 12",
  "no such thing",
  "&nbsp;",
  " x ",
  "N/A",
  "&#8203;",
  "www.town.example",
  "<b>Owner</b> &ndash;<br>",
  "a@b.example",
  '{"@type":"Recipe","name":"Pie"}',
  "window.S={a:{b:5}}",
);
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(tag, attributes).map(([name, more]) => `<${name}${more}>`) },
  { weight: 3, arbitrary: tag.map((name) => `</${name}>`) },
  { weight: 4, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc.constantFrom("<script type=application/ld+json>", "<", "<!-- ", "-->", "<p", "'"),
  },
);

test("a scan and a parsed document give the same records on every page", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => assertSame(pieces.join(""))),
    { numRuns: 1500 },
  );
});

const testdata = resolve(import.meta.dirname, "../../../shared/testdata");

test(
  "a scan and a parsed document give the same records on every real page",
  { skip: existsSync(testdata) ? false : "there are no stored pages beside this checkout" },
  () => {
    const files = globSync("{pages,blockpages,quotes-toscrape}/**/*.html", { cwd: testdata });
    assert.ok(files.length > 0);
    for (const file of files) assertSame(readFileSync(resolve(testdata, file), "utf8"));
  },
);

void test("what a declared shadow root shows is part of the page; what another template holds is not", () => {
  const html = `<x-card><template shadowrootmode="open"><i class="a">shown</i></template></x-card><template><i class="a">held</i></template>`;
  const { read } = compileExtraction({ fields: { all: field.list(".a") } });
  for (const one of [page(html), parsed(html), unparsed(html)])
    assert.match(JSON.stringify(read([one])), /^(?!.*held).*"shown"/);
});
