import assert from "node:assert/strict";
import { test } from "node:test";
import { placeholders } from "./placeholders.ts";

test("dashes, blanks and the usual words mean that there is no value", () => {
  const isPlaceholder = placeholders("words");
  for (const text of [
    "",
    " ",
    "-",
    "--",
    "—",
    "- -",
    "...",
    "N/A",
    "n/a",
    "N.A.",
    "(n/a)",
    "[N/A]",
    "Not Available",
    "TBD",
    "NULL",
    "#N/A",
  ]) {
    assert.ok(isPlaceholder(text), text);
  }
});

test("what may be an answer is one", () => {
  const isPlaceholder = placeholders("words");
  for (const text of [
    "none",
    "None",
    "NA",
    "unknown",
    "0",
    "no",
    "(none)",
    "-5",
    "A-",
    "N/A until 2025",
    "x",
  ]) {
    assert.ok(!isPlaceholder(text), text);
  }
});

test("where a number or a date is wanted, none and unknown are no answer", () => {
  const isPlaceholder = placeholders("value");
  for (const text of ["None", "(none)", "NA", "unknown", "--"]) assert.ok(isPlaceholder(text), text);
  for (const text of ["0", "-5", "0.00"]) assert.ok(!isPlaceholder(text), text);
});

test("a field may know more of them, in any case of letters", () => {
  assert.ok(placeholders("words", ["See Clerk"])("SEE CLERK"));
});
