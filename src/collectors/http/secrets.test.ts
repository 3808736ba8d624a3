import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isSecretName, redactBody, redactHeaders } from "./secrets.ts";

const redacted = (name: string, value: string): string | undefined => redactHeaders([[name, value]])[0]?.[1];

test("names of cookies, their attributes and schemes stay readable", () => {
  assert.equal(redacted("Cookie", "a=1; b=2"), "a=[redacted]; b=[redacted]");
  assert.equal(redacted("set-cookie", "sid=x=y; Path=/; HttpOnly"), "sid=[redacted]; Path=/; HttpOnly");
  assert.equal(redacted("AUTHORIZATION", "Bearer abc"), "Bearer [redacted]");
  assert.equal(redacted("proxy-authorization", "abc"), "[redacted]");
  assert.equal(redacted("Location", "https://u:p@h/x?a=b@c"), "https://h/x?a=b@c");
  assert.equal(redacted("Location", "/x?mail=a@b"), "/x?mail=a@b");
});

test("headers without secrets are left as they are", () => {
  const headers = [
    ["Content-Type", "text/html"],
    ["X-Served-By", "a"],
  ] as const;
  assert.equal(redactHeaders(headers), headers);
});

test("a header that is named like a secret is kept by name only", () => {
  assert.deepEqual(redactHeaders([["x-api-key", "s3cret"]]), [["x-api-key", "[redacted]"]]);
});

test("no cookie value is kept, whatever it looks like", () => {
  const value = fc.stringMatching(/^[!-:<-~]{0,10}s3cret[!-:<-~]{0,10}$/);
  fc.assert(
    fc.property(
      value,
      fc.constantFrom("Cookie", "Set-Cookie", "Authorization", "Proxy-Authorization"),
      (secret, name) => {
        const text = name.endsWith("ookie") ? `n=${secret}; Path=/` : `Basic ${secret}`;
        assert.ok(!redacted(name, text)?.includes("s3cret"), text);
      },
    ),
  );
});

test("common names of secrets are recognised, others are not changed", () => {
  for (const name of [
    "authorization",
    "Cookie",
    "x-api-key",
    "X-Auth-Token",
    "apikey",
    "userPassword",
    "ctl00$pwd",
    "client_secret",
  ])
    assert.ok(isSecretName(name), name);
  for (const name of [
    "accept",
    "content-type",
    "x-requested-with",
    "keywords",
    "author",
    "__VIEWSTATE",
    "parcel",
    "monkey",
  ])
    assert.ok(!isSecretName(name), name);
});

test("a body that a browser sends is stored without the values of secret fields", () => {
  const stored = (type: string, text: string): string => redactBody(type, Buffer.from(text)).toString();
  assert.equal(
    stored("application/x-www-form-urlencoded", "user=ann&password=x+y"),
    "user=ann&password=%5Bredacted%5D",
  );
  assert.equal(stored("application/x-www-form-urlencoded; charset=utf-8", "q=a%20b"), "q=a%20b");
  assert.equal(
    stored("application/json", '{"user":"ann","api_key":"x"}'),
    '{"user":"ann","api_key":"[redacted]"}',
  );
  assert.equal(stored("application/json", '["password"]'), '["password"]');
  assert.equal(stored("application/json", "{"), "{");
  assert.equal(
    stored(
      "multipart/form-data; boundary=b",
      '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\nx\r\n--b--',
    ),
    "[redacted]",
  );
  assert.equal(stored("text/plain", "password=x"), "password=x");
});
