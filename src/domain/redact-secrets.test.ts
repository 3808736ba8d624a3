import assert from "node:assert/strict";
import { test } from "node:test";
import { isSecretParameter, redactSecrets, registerSecret } from "./redact-secrets.ts";

const cases: readonly (readonly [string, string])[] = [
  ["http://user:hunter2@proxy.example:8000/x", "http://***@proxy.example:8000/x"],
  ["postgres://sluice@db/sluice", "postgres://***@db/sluice"],
  ["GET https://api.example/v1?api_key=abc123&page=2", "GET https://api.example/v1?api_key=***&page=2"],
  [
    "https://x.example/a?sid=5E55&parcel=1#session=abcdef12",
    "https://x.example/a?sid=***&parcel=1#session=***",
  ],
  ["access_token: eyJhbGciOi.x.y", "access_token: ***"],
  ["wrong password: hunter", "wrong password: ***"],
  ['{"password":"p w","name":"x"}', '{"password":***,"name":"x"}'],
  ["Authorization: Bearer abc.def\nHost: x", "Authorization: ***\nHost: x"],
  ["refused with Bearer abc123def456 by the site", "refused with Bearer *** by the site"],
  ["login failed for password=hunter two", "login failed for password=*** two"],
  ["set-cookie=sid=1; Path=/", "set-cookie=***"],
  ["no such key sluice_0123abcd_00112233445566778899", "no such key sluice_0123abcd_***"],
  ["whsec_c2VjcmV0IGtleQ== is too short", "whsec_*** is too short"],
];

for (const [text, redacted] of cases)
  test(`a secret is not shown: ${redacted}`, () => assert.equal(redactSecrets(text), redacted));

for (const text of [
  "parcels.csv:17: mail bob@example.org at https://example.org/a?page=2#x, column key: 12",
  "passwd: not an http URL",
  "password: Invalid input: expected string",
  "token: required",
  "a basic understanding of the matter",
])
  test(`text without a secret is unchanged: ${text}`, () => assert.equal(redactSecrets(text), text));

const SECRET = [
  "sid",
  "PHPSESSID",
  "jsessionid",
  "ASP.NET_SessionId",
  "session",
  "session_token",
  "token",
  "_token",
  "csrfToken",
  "__RequestVerificationToken",
  "__VIEWSTATE",
  "__VIEWSTATE1",
  "apikey",
  "api_key",
  "x-api-key",
  "accessToken",
  "sig",
  "X-Amz-Signature",
  "SAMLResponse",
  "Authorization",
  "user[password]",
];
test("names of sessions, tokens, passwords and keys are secret however they are written", () => {
  for (const name of SECRET) assert.ok(isSecretParameter(name, "0af3b2c4d5"), name);
});

test("names that only sound alike are not", () => {
  for (const name of [
    "parcel",
    "page",
    "keyword",
    "tokenizer",
    "sessions",
    "author",
    "monkey",
    "design",
    "side",
  ])
    assert.ok(!isSecretParameter(name, "0af3b2c4d5"), name);
});

test("an item's key and the session of a parliament are data; a key that looks like one is not", () => {
  assert.ok(!isSecretParameter("key", "0100000001"));
  assert.ok(!isSecretParameter("session", "2024"));
  assert.ok(isSecretParameter("key", "AIzaSyD4x9Q2b7LmN0pR"));
});

test("a registered secret is not shown in any encoding, whatever is around it", () => {
  const secret = 'h"ush/ha 9x';
  registerSecret(secret);
  const login = ["me", "you", "them"].map((user) => Buffer.from(`${user}:${secret}`).toString("base64"));
  for (const text of [secret, encodeURIComponent(secret), JSON.stringify({ a: secret }), ...login]) {
    const shown = redactSecrets(`it said <${text}>`);
    assert.match(shown, /\*\*\*/);
    for (const each of [secret, "ush/ha", "ush%2Fha", ...login]) assert.ok(!shown.includes(each), shown);
  }
});
