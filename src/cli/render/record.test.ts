import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import picocolors from "picocolors";
import { fragmentAt } from "../../devtools/page-fragment.ts";
import { textWidth } from "../text.ts";
import { renderFragment, renderRecord } from "./record.ts";

const plain = picocolors.createColors(false);
const coloured = picocolors.createColors(true);
const text = '<table>\n  <tr><td id="market">$1,250</td></tr>\n</table>\n';
const record = {
  from: "p",
  quality: "partial",
  fields: {
    market: { status: "present", value: 1250, raw: "$1,250", by: "#market", at: text.indexOf("<td") },
    owner: { status: "missing", value: null },
    notes: { status: "missing", value: null },
    rate: { status: "malformed", value: null, raw: "see\u001b[31m note", by: ".rate", why: "not a number" },
    long: { status: "present", value: "water 水 ".repeat(60), by: "#a ".repeat(40) },
  },
} as const;
const look = { width: 100, colors: plain, text, required: ["market", "owner", "rate", "long"] };

test("a record is a table with each field's status, value, and line and column", () => {
  const lines = renderRecord(record, look);
  assert.match(lines[1]!, /^ {2}market +present +1250 +#market +2:7$/);
  assert.match(lines[2]!, /^ {2}owner +missing$/);
  assert.match(lines[3]!, /^ {2}notes +missing +optional$/);
  assert.match(lines[4]!, /^ {2}rate +malformed +see note +\.rate$/);
});

test("no line of it is wider than the screen, and colours change nothing but colours", () => {
  for (const width of [80, 100, 140]) {
    const lines = renderRecord(record, { ...look, width });
    for (const line of lines) assert.ok(textWidth(line) <= width, line);
    const painted = renderRecord(record, { ...look, width, colors: coloured });
    assert.notDeepEqual(painted, lines);
    assert.deepEqual(
      painted.map((line) => stripVTControlCharacters(line).trimEnd()),
      lines,
    );
  }
});

test("a fragment points at what it is about, less the indentation that all of its lines have", () => {
  const fragment = fragmentAt(text, { page: "p", at: text.indexOf("<td"), length: 16, hasNeighbours: false });
  assert.deepEqual(renderFragment(fragment, plain), [
    '2 │ <tr><td id="market">$1,250</td></tr>',
    "  │     ^^^^^^^^^^^^^^^^",
  ]);
});
