import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { encodeBody, encodeForm, encodeQuery } from "./encode-form.ts";

const entries = fc.array(fc.tuple(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })));

const broken = (text: string): string => text.replace(/\r\n|\r|\n/g, "\r\n");

test("a query is what URLSearchParams makes of it, line breaks apart", () => {
  fc.assert(
    fc.property(entries, (pairs) => {
      const expected = new URLSearchParams(
        pairs.map(([name, value]): [string, string] => [broken(name), broken(value)]),
      ).toString();
      assert.equal(encodeQuery(pairs), expected);
    }),
  );
});

test("a multipart body is read back as it was written", async () => {
  const line = fc.string({ unit: "grapheme" }).filter((text) => !/[\r\n]/.test(text));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(line, line), { minLength: 1 }), async (pairs) => {
      const { mediaType, body } = encodeForm(pairs, "multipart/form-data");
      const parsed = await new Response(Buffer.from(body), {
        headers: { "content-type": mediaType },
      }).formData();
      assert.deepEqual([...parsed.entries()], pairs);
    }),
  );
});

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
