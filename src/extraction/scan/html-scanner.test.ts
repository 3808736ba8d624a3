import assert from "node:assert/strict";
import { test } from "node:test";
import { buildTree, repairTree, scanTree } from "../build-tree.ts";
import { Dice } from "../testing/dice.ts";
import { treeOutline } from "../testing/outline.ts";
import { randomPage, shortened } from "../testing/random-page.ts";
import { Reference } from "../testing/reference.ts";
import { HtmlScanner } from "./html-scanner.ts";
import type { RepairReason, ScanSink } from "./tree-state.ts";

const differs = (page: string): boolean =>
  JSON.stringify(treeOutline(buildTree(page))) !== JSON.stringify(new Reference(page).outline());

/** `SLUICE_RANDOM_PAGES=100000 npm test -- html-scanner` for more. */
const PAGES = Number(process.env["SLUICE_RANDOM_PAGES"] ?? 10_000);

test(`${PAGES} random pages, mostly broken, are read as parse5 reads them`, (t) => {
  const dice = new Dice();
  let repaired = 0;
  for (let count = 0; count < PAGES; count++) {
    const page = randomPage(dice);
    if (scanTree(page) === undefined) repaired++;
    if (!differs(page)) continue;
    const shortest = shortened(page, differs);
    assert.deepEqual(
      treeOutline(buildTree(shortest)),
      new Reference(shortest).outline(),
      `${JSON.stringify(shortest)}, seed ${dice.seed}`,
    );
  }
  t.diagnostic(`${((100 * repaired) / PAGES).toFixed(1)} % needed repair`);
  assert.ok(repaired > PAGES / 20 && repaired < PAGES / 2, `${repaired} of ${PAGES} needed repair`);
});

test("both ways to build a tree put its elements at the same places in the page", () => {
  const dice = new Dice();
  for (let count = 0; count < 2000; count++) {
    const page = randomPage(dice);
    const scanned = scanTree(page)?.elements;
    const repaired = repairTree(page)?.elements ?? [];
    const reference = new Reference(page);
    for (const [index, element] of (scanned ?? repaired).entries()) {
      const where = `<${element.tag}> of ${JSON.stringify(page)}, seed ${dice.seed}`;
      const offset = reference.offset(index);
      if (offset !== undefined) assert.equal(element.at, offset, where);
      assert.ok(element.at <= page.length && element.inside <= element.insideEnd, where);
    }
  }
});

/** Pages that random tests rarely find, and whether they need repair. */
const ODDITIES: readonly [page: string, reason?: RepairReason][] = [
  [""],
  ["<"],
  ["</"],
  ["<a /"],
  ["<p>x<div /"],
  ["</div x"],
  ["<span"],
  ["<svg / >x"],
  ["<svg /><b>x"],
  ["<script>a</script"],
  ["<script><!--<script></script>--></script>x"],
  ["<script><!--><script></script>x"],
  ["<script><!--<script>-->x</script>y"],
  ["<title><&amp;</t&amp;</title>"],
  ["<textarea>\n\nx</textarea>"],
  ["<pre>\r\nx\r\ny\rz</pre>"],
  ["<pre>&#10;x", "character reference for white space"],
  ["<plaintext><b></plaintext>", "rare markup"],
  ["<svg><title><script><b></script></title><![CDATA[<&amp;]]></svg><![CDATA[x]]>"],
  ["<svg><foreignobject><lineargradient><p><lineargradient></foreignobject>"],
  ["<math><annotation-xml encoding=text/html><div><svg></annotation-xml>x", "rare markup"],
  ["<svg><image></svg></image>"],
  ["<image>", "rare markup"],
  ["<a b='&copy=1&copy;&copy' c=&amp>&copy=1&copy;&copy"],
  ["<a \u0130=1 \u212a=2>"],
  ["<p></p></p></br></image>"],
  ["<p><b>x</p></body> "],
  ["<p><b>x</p><svg></body>y"],
  ["&#x80;&#0;&#xD800;&#1114112;&NotEqualTilde;&am"],
  ["<!-- --!><b><!--><i><!---><u>"],
  ["a\0b<p title='\0'>", "NUL characters"],
  ["<html><head></head> <style></style> <body>"],
  ["<head><noscript><link><img></noscript></head><body class=x><p>"],
  ["<body class=x><body id=y>", "attributes of a second html or body"],
  ["<div></div><frameset>", "rare markup"],
  ["<template><td>x", "table parts in a template"],
  ["<template><table><tr><td>x</template><template></template>y"],
  ["<table><form><tr><td><input></form></table><form>"],
  ["<form><div></form><p>x</div>y<form>"],
  ["<b><p>x</b>y", "misnested formatting"],
  ["<b><i>x</b>y</i>z"],
  ["<a>1<a>2<div>3</div></a>4"],
  ["<a>1<div><a>2", "misnested formatting"],
  ["<table>x", "content moved out of a table"],
  ["<table><tr><div>x", "content moved out of a table"],
  ["<p><table>"],
  ["</b><!doctype html><p><table>"],
  ["<!doctype html><p><table>"],
  ['<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><p><table>'],
  [
    '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd"><p><table>',
  ],
  ['<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"><p><table>'],
  ['<!DOCTYPE html PUBLIC "-//IETF//DTD HTML//EN"><p><table>', "unusual doctype"],
  ["<select><optgroup><option>1<option>2<hr><optgroup></select>x"],
  ["<select><option>1<b>2<option>3<table><tr></select>x", "markup in a select"],
  ["<table><tr><td><select><option>1</select><td>2"],
  ["<table><tr><td><select><option>1<td>2", "markup in a select"],
  ["<ruby>a<rb>b<rt>c<rtc>d<rp>e"],
  [`<p>${"<font size=1 color=2><font color=2 size=1>".repeat(3)}x<p>y`],
];

test("oddities are read as parse5 reads them, and those that only add to the tree in one pass", () => {
  for (const [page, reason] of ODDITIES) {
    const where = JSON.stringify(page);
    assert.deepEqual(treeOutline(buildTree(page)), new Reference(page).outline(), where);
    assert.equal(scanTree(page) === undefined, reason !== undefined, where);
    if (reason === undefined) continue;
    const nothing: ScanSink = { opens: () => undefined, closes: () => undefined, text: () => undefined };
    const scanner = new HtmlScanner(page, nothing);
    scanner.run();
    assert.equal(scanner.reason, reason, where);
  }
});

test("a page of stray end tags and ever new names, nested without limit, is read", () => {
  const depth = 30_000;
  const names = Array.from({ length: depth }, (_, at) => `<x-${at}></y-${at}>`).join("");
  assert.equal(buildTree(names).elements.length, depth + 3);
});

// Sizes at which anything that is not linear would run into the test timeout.
test("nesting without limit is read on every path", () => {
  const times = 50_000;
  const each = (piece: (at: number) => string): string =>
    Array.from({ length: times }, (_, at) => piece(at)).join("");
  const pages = [
    "<font>".repeat(times),
    "<div>".repeat(times),
    "<table><td>".repeat(times),
    "<svg><g>".repeat(times),
    `<ul><table><td>${"<div></ul>".repeat(times)}`,
    `<svg><desc><p><svg>${"<g></desc>".repeat(times)}`,
    each((at) => `<font size=${at}>`),
    // Each paragraph would have all of the formatting before it again.
    each((at) => `<p><font size=${at}>x`),
    `<table>${each((at) => `<p><font size=${at}>x`)}`,
    `<b><p></b>${"<b><p>".repeat(times / 10)}`,
  ];
  for (const page of pages) assert.ok(buildTree(page).elements.length > times / 10, page.slice(0, 40));
});
