import assert from "node:assert/strict";
import { test } from "node:test";
import { viewOfPage } from "./page-view.ts";

const viewOf = (text: string, at: number, type = "text/html", as: "page" | "source" = "page"): string =>
  viewOfPage(
    "page",
    { url: "http://site/", status: 200, headers: [["content-type", type]], body: Buffer.from(text) },
    { as, marks: [{ number: 3, field: "price", at, length: 5, isChosen: true }] },
  );

test("the element at the place gets the mark, and the rest of the page stays as it is", () => {
  const page = "<!doctype html><p>12.00</p><P CLASS=x>12.00</P>";
  const view = viewOf(page, page.indexOf("<P "));
  assert.match(view, /^<!doctype html><style>/);
  assert.match(
    view,
    /<p>12\.00<\/p><P tabindex="0" data-sluice-fields="3 price" id="sluice-mark" data-sluice-chosen="" CLASS=x>12\.00<\/P>$/,
  );
});

test("a place inside a text marks the element around it", () => {
  const page = "<div><b>price</b> 12.00</div>";
  assert.match(viewOf(page, page.indexOf("rice")), /<b tabindex/);
});

test("links, refreshes and early connections lead nowhere, and the page cannot fake a mark", () => {
  const view = viewOf(
    `<meta http-equiv=refresh content="0;url=//x"><link rel=preconnect href=//x><base href=//x><a href=//x data-sluice-fields=1>a</a><p>b`,
    0,
  );
  for (const [tag, attribute] of [
    ["meta", 'http-equiv="sluice-none"'],
    ["link", 'rel="sluice-none"'],
    ["base", 'href="#"'],
    ["a", 'href="#sluice-none"'],
  ])
    assert.ok(new RegExp(`<${tag}[^>]*? ${attribute}[^>]*>`).test(view), `${tag}: ${view}`);
  assert.match(view, /data-sluice_fields=1/);
});

test("what is no HTML is shown as text, with the place marked", () => {
  const view = viewOf('{"price": "12.00", "x": "<script>"}', 11, "application/json");
  assert.match(view, /<mark tabindex="0" title="price" id="sluice-mark"[^>]*><b>3<\/b>12\.00<\/mark>/);
  assert.match(view, /&lt;script>/);
  assert.match(viewOf("<svg onload=x>", 0, "image/svg+xml"), /not shown here/);
  assert.match(viewOf("<p>12.00", 3, "text/html", "source"), /&lt;p><mark/);
  const ofTag = viewOf('<td id="price">12.00</td>', 0, "text/html", "source");
  assert.match(ofTag, /<b>3<\/b>&lt;td id=&quot;price&quot;>12\.00<\/mark>&lt;\/td>/);
});
