import assert from "node:assert/strict";
import { test } from "node:test";
import { blotSecrets, withoutSecrets } from "./guess-input.ts";

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

test("in a text the secrets of its addresses are blotted out", () => {
  assert.equal(blotSecrets("a.php?page=2&sid=AB12#x, b?id=7"), "a.php?page=2&sid=…#x, b?id=7");
});
