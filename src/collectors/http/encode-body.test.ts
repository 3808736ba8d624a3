import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeBody } from "./encode-body.ts";

const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString();

test("a form or JSON object is sent as it is, and kept without its secrets", () => {
  const form = encodeBody({ form: { user: "ann", password: "0451", tag: ["a", "b"] } });
  assert.equal(text(form.body), "user=ann&password=0451&tag=a&tag=b");
  assert.equal(text(form.archivedBody), "user=ann&password=%5Bredacted%5D&tag=a&tag=b");
  const json = encodeBody({ json: { user: "ann", "api-key": "k" } });
  assert.equal(text(json.body), '{"user":"ann","api-key":"k"}');
  assert.equal(text(json.archivedBody), '{"user":"ann","api-key":"[redacted]"}');
});

test("what has no secrets is kept as it was sent", () => {
  assert.equal(encodeBody({ form: { q: "1" } }).archivedBody, undefined);
  assert.equal(encodeBody({ json: [1, 2] }).archivedBody, undefined);
  assert.equal(encodeBody({ bytes: Buffer.from("x"), mediaType: "text/plain" }).archivedBody, undefined);
});
