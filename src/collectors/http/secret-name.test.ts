import assert from "node:assert/strict";
import { test } from "node:test";
import { isSecretName } from "./secret-name.ts";

test("names that people give to secrets are known, others are left alone", () => {
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
