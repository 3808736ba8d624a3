import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fragmentAt, placeAt } from "./page-fragment.ts";

const marked = (text: string, at: number, length: number, width?: number): string => {
  const { lines, mark } = fragmentAt(text, { page: "p", at, length, ...(width && { width }) });
  const line = lines.find(({ number }) => number === mark.line)!;
  return line.text.slice(mark.from, mark.from + mark.length);
};

test("a place is a line and a column from 1; a line end belongs to its line", () => {
  assert.deepEqual(placeAt("ab\ncd", 0), { line: 1, column: 1 });
  assert.deepEqual(placeAt("ab\ncd", 2), { line: 1, column: 3 });
  assert.deepEqual(placeAt("ab\ncd", 3), { line: 2, column: 1 });
  assert.deepEqual(placeAt("ab\ncd", 99), { line: 2, column: 3 });
});

test("a fragment has the line of the place and its non-blank neighbours", () => {
  const text = "<ul>\n<li>one</li>\n<li>two</li>\n\n</ul>\n";
  const { lines, line } = fragmentAt(text, { page: "p", at: text.indexOf("<li>two") });
  assert.equal(line, 3);
  assert.deepEqual(lines, [
    { number: 2, text: "<li>one</li>" },
    { number: 3, text: "<li>two</li>" },
  ]);
});

test("the mark is under its text, even in a line that is cut on both sides", () => {
  const text = `${"a".repeat(5000)}<b id="x">y</b>${"c".repeat(5000)}`;
  assert.equal(marked(text, 5000, 10, 60), '<b id="x">');
  const [line] = fragmentAt(text, { page: "p", at: 5000, width: 60 }).lines;
  assert.equal(line!.text.length, 60);
  assert.match(line!.text, /^….*…$/);
});

test("control characters are shown as spaces", () => {
  const { lines } = fragmentAt("a\u001b[31mb\tc\r\n", { page: "p", at: 0 });
  assert.deepEqual(lines, [{ number: 1, text: "a [31mb c" }]);
});

test("on any page, at any place, the mark is on the line of the place and begins at its character", () => {
  const page = fc
    .array(fc.constantFrom("a", "<", " ", "\n", "é", "\t", "x".repeat(30)))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(
      page,
      fc.nat(),
      fc.integer({ min: 10, max: 90 }),
      fc.nat(50),
      (text, anywhere, width, length) => {
        fc.pre(text.length > 0);
        const at = anywhere % text.length;
        const fragment = fragmentAt(text, { page: "p", at, length, width });
        const shown = fragment.lines.find(({ number }) => number === fragment.mark.line)!;
        assert.equal(fragment.line, text.slice(0, at).split("\n").length);
        assert.ok(shown.text.length <= width);
        const character = text[at]!;
        if (character.trim() !== "") assert.equal(shown.text[fragment.mark.from], character);
      },
    ),
  );
});
