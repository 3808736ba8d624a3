import assert from "node:assert/strict";
import { test } from "node:test";
import { blotSecrets, type DraftInput, guessInput, withoutSecrets } from "./guess-input.ts";

const HOST = "https://tax.example.gov";
const parts = (input: DraftInput) =>
  "before" in input ? [input.before, input.value, input.after] : input.value;

const INPUTS: readonly (readonly [path: string, name: string, ...parts: string[]])[] = [
  ["/parcel/123", "parcel", "/parcel/", "123", ""],
  ["/parcels/107-000007-17", "parcel", "/parcels/", "107-000007-17", ""],
  ["/property/R-0045.aspx?lang=en", "property", "/property/", "R-0045", ".aspx?lang=en"],
  ["/property/4711/values", "property", "/property/", "4711", "/values"],
  ["/detail.aspx?parcel=6836644549&year=2026", "parcel", "/detail.aspx?parcel=", "6836644549", "&year=2026"],
  ["/detail.aspx?year=2026&accountId=77x", "accountId", "/detail.aspx?year=2026&accountId=", "77x", ""],
  ["/tools/3", "tool", "/tools/", "3", ""],
  ["/detail?parcelId=7&page=2", "parcelId", "/detail?parcelId=", "7", "&page=2"],
  ["/class/500", "classId", "/class/", "500", ""],
];
for (const [path, name, ...expected] of INPUTS)
  test(`${path} changes in its ${name}`, () => {
    const input = guessInput(new URL(path, HOST));
    assert.equal(input.name, name);
    assert.deepEqual(parts(input), expected);
  });

for (const path of [
  "/",
  "/recipes/garlic-butter-shrimp/",
  "/2021/08/burli.html",
  "/list?page=2&size=50",
  "/list?page=2",
  "/towns/page/2",
])
  test(`${path} is taken as a whole`, () => {
    assert.deepEqual(guessInput(new URL(path, HOST)), { name: "url", value: HOST + path });
  });

test("a person can name the changing part, or ask for the whole URL", () => {
  assert.equal(guessInput(new URL("/p/123", HOST), "apn").name, "apn");
  assert.equal(guessInput(new URL("/x?town=austin&page=2", HOST), "town").name, "town");
  assert.equal(guessInput(new URL("/parcel/123", HOST), "url").name, "url");
});

const without = (path: string): readonly unknown[] => {
  const { url, leftOut } = withoutSecrets(new URL(path, "https://town.example"));
  return [url.href.replace("https://town.example", ""), ...leftOut];
};

const ADDRESSES: readonly (readonly [path: string, ...rest: string[]])[] = [
  ["/p?id=7&sid=AB12&token=TT", "/p?id=7", "sid", "token"],
  ["/p?sid=AB12&id=7", "/p?id=7", "sid"],
  ["/p?PHPSESSID=AB12", "/p", "PHPSESSID"],
  ["/p;jsessionid=AB12?id=7", "/p?id=7", "jsessionid"],
  ["/p?accessToken=x&sessionId=y&api_key=z&X-Amz-Signature=1&sig=2&auth=3&id=7", "/p?id=7", "accessToken"],
  ["/p?key=s3cr3tkey&id=7", "/p?id=7", "key"],
  ["/p?key=4711", "/p?key=4711"],
  ["/p?monkey=1&side=2&design=3&b+c=%20", "/p?monkey=1&side=2&design=3&b+c=%20"],
];
for (const [path, kept, ...leftOut] of ADDRESSES)
  test(`${path} is drafted as ${kept}`, () => {
    assert.deepEqual(without(path).slice(0, leftOut.length + 1), [kept, ...leftOut]);
  });

test("secrets in the URLs of a text are replaced", () => {
  assert.equal(blotSecrets("a.php?page=2&sid=AB12#x, b?id=7"), "a.php?page=2&sid=…#x, b?id=7");
});
