import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeText, encodeText } from "./texts.ts";

/** All that the encoding itself uses, and what it is for. */
const texts = fc
  .array(
    fc.constantFrom(
      "\u0000",
      "\u0001",
      "\ud83d",
      "\ude00",
      "\\",
      "\\u",
      "\\u000",
      "\\u0001",
      "u",
      "0",
      "1",
      "2",
      "d83d",
      "ü",
    ),
  )
  .map((parts) => parts.join(""));

test("every text comes back as it was, and nothing is stored that PostgreSQL refuses", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const encoded = encodeText(text);
      assert.equal(decodeText(encoded), text);
      assert.ok(encoded.isWellFormed() && !encoded.includes("\u0000"));
    }),
    { numRuns: 2000 },
  );
});

test("what is read out of a JSON document is a text that was encoded", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const document = JSON.stringify({ text });
      const encoded = encodeText(document);
      assert.equal(decodeText(encoded), document);
      assert.doesNotMatch(encoded.replaceAll("\\\\", ""), /\\u(?:0000|d[89a-f])/);
      assert.equal(decodeText((JSON.parse(encoded) as { text: string }).text), text);
    }),
    { numRuns: 2000 },
  );
});
