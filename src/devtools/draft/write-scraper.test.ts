import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { literal, templateText, valueComment } from "./write-scraper.ts";

/** Texts made of what ends or turns source code, between ordinary characters. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom("*/", "//", "`", "${", "}", '"', "'", "\\", "\n", "\r", "\u2028", "\u2029", "\u202e"),
      fc.constantFrom("\u{13430}", "\u{e0001}", "\u{1d173}"),
      fc.constantFrom("\0", "\u001b[31m", "\ud800"),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

const run = (source: string): unknown => runInNewContext(source);

test("any text survives as a string literal", () => {
  fc.assert(fc.property(hostile, (text) => assert.equal(run(`(${literal(text)})`), text)));
});

test("any text survives as the fixed part of a template literal", () => {
  fc.assert(
    fc.property(hostile, hostile, (before, after) => {
      const source = `(\`${templateText(before)}\${1 + 1}${templateText(after)}\`)`;
      assert.equal(run(source), `${before}2${after}`);
    }),
  );
});

test("no text breaks out of its comment", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const comment = valueComment(text);
      assert.equal(run(`41; ${comment}\n42`), 42);
      assert.doesNotMatch(comment, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|\*\//u);
    }),
  );
});

test("a literal contains no characters that turn or hide text", () => {
  fc.assert(
    fc.property(hostile, (text) => assert.doesNotMatch(literal(text), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)),
  );
});

test("a long value is cut in its comment", () => {
  assert.equal(Array.from(valueComment("😀".repeat(200))).length, '// ""'.length + 60);
});
