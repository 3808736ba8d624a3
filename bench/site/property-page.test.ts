import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHtml } from "../../src/extraction/html-document.ts";
import { compileSelector } from "../../src/extraction/selector.ts";
import { FIELDS } from "./fields.ts";
import { parcelId, propertyPage } from "./property-page.ts";

const KB = 1_024;

test("every field is found on every page, and the parcel is the page's own", () => {
  for (const n of [0, 1, 7, 999, 1_999]) {
    const document = parseHtml(propertyPage(n));
    for (const [name, selector] of Object.entries(FIELDS)) {
      const element = document.first(compileSelector(selector));
      assert.ok(element, `${name} on page ${n}`);
      assert.notEqual(document.textOf(element), "", `${name} on page ${n}`);
    }
    assert.equal(document.textOf(document.first(compileSelector(FIELDS.parcel))!), parcelId(n));
  }
});

test("a page has about 12 KB and is the same every time", () => {
  for (const n of [0, 1_999]) {
    const bytes = Buffer.byteLength(propertyPage(n));
    assert.ok(bytes > 11 * KB && bytes < 13 * KB, `${bytes} bytes`);
    assert.equal(propertyPage(n), propertyPage(n));
  }
});
