import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeRecord } from "../domain/judgement.ts";
import { scanTree } from "./build-tree.ts";
import { compileExtraction } from "./extract-spec.ts";
import { field } from "./field.ts";
import { parseHtml } from "./html-document.ts";
import { compileSelector } from "./selector.ts";

/** The texts that a list field gives in a single pass, which must be what the document has. */
function texts(css: string, text: string): string[] {
  const page = { name: "p", url: "https://court.example/", status: 200, mediaType: "text/html", text };
  const [record] = compileExtraction({ fields: { it: field.list(css) } }).read([page]);
  const streamed = record === undefined ? undefined : judgeRecord(record, []).fields["it"]?.value;
  const document = parseHtml(text);
  const found = document.all(compileSelector(css)).map((element) => document.textOf(element));
  assert.deepEqual(streamed ?? [], found, `${css} in ${text}`);
  return found;
}

for (const tag of ["font", "b", "a", "span", "div", "center", "form"]) {
  test(`a cell ends where the next begins, whatever <${tag}> is open in it`, () => {
    const page = `<table><tr><td><${tag}>A<td><${tag}>B<tr><td><${tag}>C</table>`;
    assert.deepEqual(texts("tr > td", page), ["A", "B", "C"]);
    assert.deepEqual(texts("tr", page), ["A B", "C"]);
    assert.ok(scanTree(page) !== undefined, "no repair is needed");
  });
}

test("open formatting continues in the next list item or paragraph, and the items do not nest", () => {
  assert.deepEqual(texts("ul > li", "<ul><li><b>A<li><b>B<li>C</ul>"), ["A", "B", "C"]);
  assert.deepEqual(texts("ul > li > b", "<ul><li><b>A<li>B</ul>"), ["A", "B"]);
  assert.deepEqual(texts("ul > li", "<ul><li><a href=1>A<li><a href=2>B</ul>"), ["A", "B"]);
  assert.deepEqual(texts("body > p", "<p><font>A<p>B"), ["A", "B"]);
  assert.deepEqual(texts("body > p > font", "<p><font>A<p>B"), ["A", "B"]);
});

test("a table has one body after another", () => {
  const page = "<table><tbody><tr><td>A<tbody><tr><td>B</table>";
  assert.deepEqual(texts("table > tbody", page), ["A", "B"]);
  assert.deepEqual(texts("tbody:nth-child(2) td", page), ["B"]);
});

test("a table without a body gets one", () => {
  const page = "<table><tr><td>A</tr></table>";
  assert.deepEqual(texts("tbody tr", page), ["A"]);
  assert.deepEqual(texts("table > tr", page), []);
  assert.deepEqual(texts("table > tbody > tr > td", "<table><td>A</table>"), ["A"]);
});

test("content after the body is moved into it, and a page has html, head and body", () => {
  assert.deepEqual(texts("body > p", "<body><p>A</body></html><p>B"), ["A", "B"]);
  assert.deepEqual(texts("html > body > p", "<p>A"), ["A"]);
  assert.deepEqual(texts("html > head > title", "<title>T</title>x"), ["T"]);
});

test("content between the cells of a table is moved in front of it", () => {
  const page = "<div><table><tr><td>A</td>moved<b>too</b></tr></table></div>";
  assert.deepEqual(texts("div", page), ["movedtoo A"]);
  assert.deepEqual(texts("div > b + table td", page), ["A"]);
  assert.equal(scanTree(page), undefined);
});

test("a first match that later markup replaces is not returned", () => {
  const page = "<table id=t><tr><td class=x>A</td></tr><div class=x>B</div></table><p>";
  const [record] = compileExtraction({
    fields: { x: field.text(".x"), alone: field.text("table:first-child").optional() },
  }).read([{ name: "p", url: "https://court.example/", status: 200, mediaType: "text/html", text: page }]);
  assert.equal(record?.fields["x"]?.value, "B");
  assert.equal(record?.fields["alone"]?.value ?? null, null);
});

test("a late body tag keeps its attributes", () => {
  const page = "<head><noscript><img src=pixel></noscript></head><body class=shop><p>A";
  assert.deepEqual(texts("body.shop > p", page), ["A"]);
  assert.ok(scanTree(page) !== undefined);
});

test("a field has its position in the page, also in a page that needed repair", () => {
  const page = "<table>\n<tr>x<td><b>A</b></table>";
  const document = parseHtml(page);
  const [bold] = document.all(compileSelector("td > b"));
  assert.ok(bold);
  assert.equal(document.offsetOf(bold), page.indexOf("<b>"));
  assert.equal(document.htmlOf(bold), "A");
});
