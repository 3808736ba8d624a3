import assert from "node:assert/strict";
import { test } from "node:test";
import { scannedOutline } from "./differential-suite/outline.ts";
import { Dice } from "./differential-suite/dice.ts";
import { randomPage, shortened } from "./differential-suite/random-page.ts";
import { Reference } from "./differential-suite/reference.ts";
import { HtmlScanner } from "./html-scanner.ts";
import type { ScanSink } from "./html-scanner.ts";

const differs = (page: string): boolean =>
  JSON.stringify(scannedOutline(page)) !== JSON.stringify(new Reference(page).outline());

const PAGES = 100_000;

test(`${PAGES} random pages, mostly broken, are read as htmlparser2 reads them`, () => {
  const dice = new Dice();
  for (let count = 0; count < PAGES; count++) {
    const page = randomPage(dice);
    if (!differs(page)) continue;
    const shortest = shortened(page, differs);
    assert.deepEqual(
      scannedOutline(shortest),
      new Reference(shortest).outline(),
      `${JSON.stringify(shortest)}, seed ${dice.seed}`,
    );
  }
});

// What chance finds seldom.
const ODDITIES = [
  "",
  "<",
  "</",
  "<a /",
  "<p>x<div /",
  "<p>x<div a",
  "</div x",
  "<scr",
  "<SCRIPT",
  "<span",
  "<svg><scr",
  "<script>a</script",
  "<script>\u001c/script>b",
  "<script>x\u001c/script>b",
  "<title><&amp;</t&amp;&amp;</title>",
  "<textarea>&lt</textarea>",
  "<plaintext><b></plaintext>",
  "<svg><title><script><b></script></title><![CDATA[<&amp;]]></svg><![CDATA[x]]>",
  "<svg><foreignobject><lineargradient><lineargradient></foreignobject>",
  "<svg><linearGradient><foreignObject><LINEARGRADIENT>",
  "<image><svg><image></svg></image>",
  "<form><form id=x></form></form><svg><form/>",
  "<math><mi><title/>x",
  "<a b='&copy=1&copy;&copy' c=&amp>&copy=1&copy;&copy",
  "<a \u0130=1 \u212a=2>",
  "<p></p></p></br></image>",
  "&#x80;&#0;&#xD800;&#1114112;&NotEqualTilde;&am",
];

test("the oddities of htmlparser2 are kept one by one", () => {
  for (const page of ODDITIES)
    assert.deepEqual(scannedOutline(page), new Reference(page).outline(), JSON.stringify(page));
});

test("a page of stray end tags and ever new names, nested without limit, is read", () => {
  const depth = 30_000;
  const names = Array.from({ length: depth }, (_, at) => `<x-${at}></y-${at}>`).join("");
  let opened = 0;
  const count: ScanSink = { opens: () => opened++, closes: () => undefined, text: () => undefined };
  new HtmlScanner(names, count).run();
  assert.equal(opened, depth);
});
