import assert from "node:assert/strict";
import { test } from "node:test";
import { redactSecrets } from "./redact-secrets.ts";

const cases: readonly (readonly [string, string])[] = [
  ["http://user:hunter2@proxy.example:8000/x", "http://***@proxy.example:8000/x"],
  ["postgres://sluice@db/sluice", "postgres://***@db/sluice"],
  ["GET https://api.example/v1?api_key=abc123&page=2", "GET https://api.example/v1?api_key=***&page=2"],
  ["access_token: eyJhbGciOi.x.y", "access_token: ***"],
  ['{"password":"p w","name":"x"}', '{"password":***,"name":"x"}'],
  ["Authorization: Bearer abc.def\nHost: x", "Authorization: ***\nHost: x"],
  ["set-cookie=sid=1; Path=/", "set-cookie=***"],
];

for (const [text, redacted] of cases)
  test(`a secret is not shown: ${redacted}`, () => assert.equal(redactSecrets(text), redacted));

test("what is no secret is shown as it is", () => {
  const text = "parcels.csv:17: mail bob@example.org at https://example.org/a?page=2#x, column key: 12";
  assert.equal(redactSecrets(text), text);
});
