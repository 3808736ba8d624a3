import assert from "node:assert/strict";
import { it } from "node:test";
import * as fc from "fast-check";
import { getSurt } from "warcio/utils";
import { surt } from "./cdxj.ts";

const cases: readonly (readonly [string, string])[] = [
  ["https://example.com/", "com,example)/"],
  ["http://example.com", "com,example)/"],
  ["https://WWW.Example.COM/Path/", "com,example)/path/"],
  ["https://www2.tax.county.example.gov/a?b=2&a=1", "gov,example,county,tax)/a?a=1&b=2"],
  ["http://example.com:8080/x", "com,example:8080)/x"],
  ["https://example.com:443/x", "com,example)/x"],
  ["http://127.0.0.1:8100/parcel/7", "1,0,0,127:8100)/parcel/7"],
  ["http://[::1]/x", "[::1])/x"],
  ["https://bücher.example/straße?q=ä", "example,xn--bcher-kva)/stra%c3%9fe?q=%c3%a4"],
  ["https://example.com/a#part", "com,example)/a"],
  ["mailto:a@example.com", "mailto:a@example.com"],
  ["no url at all", "no url at all"],
];

for (const [url, key] of cases) {
  it(`turns ${url} into ${key}`, () => assert.equal(surt(url), key));
}

it("gives the key that warcio gives, for any http URL", () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, validSchemes: ["http", "https"] }), (url) => {
      assert.equal(surt(url), getSurt(url));
    }),
  );
});
