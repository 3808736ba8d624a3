import assert from "node:assert/strict";
import { test } from "node:test";
import { findSign } from "./absent-sign.ts";
import { RecordedAnswer } from "./location.ts";

const answer = (text: string, mediaType: string, status = 200): RecordedAnswer =>
  new RecordedAnswer({ finalUrl: "https://county.example/", status, mediaType, text, responseHeaders: [] });
const json = (value: unknown, status?: number): RecordedAnswer =>
  answer(JSON.stringify(value), "application/json", status);
const html = (text: string): RecordedAnswer => answer(`<body>${text}</body>`, "text/html");

test("a status that only absent inputs have", () => {
  assert.deepEqual(findSign([json({ error: "x" }, 404)], [json({ id: 1 })]), { by: "status", status: 404 });
});

test("an empty list is preferred to flags, and flags to words; values that others have too are not signs", () => {
  const present = json({ page: 0, found: true, hits: [{ id: 1 }], status: "OK" });
  const absent = json({ page: 0, found: false, hits: [], status: "NONE" });
  assert.deepEqual(findSign([absent], [present]), { by: "json", path: "hits", value: [] });
  const flagged = json({ page: 0, found: false, status: "NONE" });
  assert.deepEqual(findSign([flagged], [json({ page: 0, found: true, status: "OK" })]), {
    by: "json",
    path: "found",
    value: false,
  });
  assert.deepEqual(findSign([json({ status: "NONE" })], [json({ status: "OK" })]), {
    by: "json",
    path: "status",
    value: "NONE",
  });
});

test("all absent responses must have the sign", () => {
  const present = json({ hits: [1], message: "" });
  const absent = [json({ hits: [], message: "no 17" }), json({ hits: [], message: "no 18" })];
  assert.deepEqual(findSign(absent, [present]), { by: "json", path: "hits", value: [] });
  assert.equal(findSign([json({ m: "no 17" }), json({ m: "no 18" })], [json({ m: "1" })]), undefined);
});

test("a missing element is not a sign", () => {
  assert.equal(findSign([json({ page: 1 })], [json({ page: 1, hit: { id: 1 } })]), undefined);
  assert.equal(findSign([html("<p class=a>1</p>")], [html("<p class=a>1</p><p class=b>2</p>")]), undefined);
});

test("the sign is an element whose name says so, else a sentence", () => {
  const present = html("<div class=top></div><table class=grid></table>");
  assert.deepEqual(findSign([html("<div class='other x1'></div><p class=no-results>None</p>")], [present]), {
    by: "element",
    css: ".no-results",
  });
  assert.deepEqual(findSign([html("<div class=top></div><p>No property was found.</p>")], [present]), {
    by: "text",
    text: "No property was found.",
  });
});
