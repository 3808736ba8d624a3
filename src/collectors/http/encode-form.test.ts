import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { encodeForm, encodeQuery } from "./encode-form.ts";

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
      const { mediaType, bytes } = encodeForm(pairs, "multipart/form-data");
      const parsed = await new Response(bytes, { headers: { "content-type": mediaType } }).formData();
      assert.deepEqual([...parsed.entries()], pairs);
    }),
  );
});
