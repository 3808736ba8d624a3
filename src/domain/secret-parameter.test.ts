import assert from "node:assert/strict";
import { test } from "node:test";
import { isSecretParameter } from "./redact-secrets.ts";

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
