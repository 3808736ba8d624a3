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

test("a text that may be a value is a value", () => {
  const isPlaceholder = placeholders("words");
  for (const text of ["0", "no", "-5", "A-", "N/A until 2025", "x", "Na", "Pending", "Vacant", "★★☆"]) {
    assert.ok(!isPlaceholder(text), text);
  }
});

test("a field can declare some of them as values", () => {
  const isPlaceholder = placeholders("words", { answers: ["None", "Unknown"] });
  for (const text of ["None", "NONE", "unknown"]) assert.ok(!isPlaceholder(text), text);
  for (const text of ["(none)", "N/A", ""]) assert.ok(isPlaceholder(text), text);
});

test("masks and zeros mean no value where their type is expected, and are texts elsewhere", () => {
  for (const text of ["xx/xx/xxxx", "mm/dd/yyyy", "00/00/0000"]) {
    assert.ok(placeholders("date")(text), text);
    assert.ok(!placeholders("words")(text), text);
  }
  for (const text of ["(xxx) xxx-xxxx", "000-000-0000"]) assert.ok(placeholders("phone")(text), text);
  assert.ok(!placeholders("value")("000"));
});

test("a long text is read quickly, whatever it is made of", () => {
  for (const text of ["not ".repeat(1e5), "- ".repeat(1e5), "no x".repeat(1e5)])
    assert.equal(placeholders("value")(text), false);
});

test("where a number or a date is expected, 'none' and 'unknown' mean no value", () => {
  const isPlaceholder = placeholders("value");
  for (const text of ["None", "(none)", "NA", "unknown", "--"]) assert.ok(isPlaceholder(text), text);
  for (const text of ["0", "-5", "0.00"]) assert.ok(!isPlaceholder(text), text);
});

test("a field can have more placeholders, ignoring case", () => {
  assert.ok(placeholders("words", { placeholders: ["See Clerk"] })("SEE CLERK"));
});
