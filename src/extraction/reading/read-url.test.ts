import assert from "node:assert/strict";
import { test } from "node:test";
import { readUrl } from "./read-url.ts";

const BASE = "https://town.example/a/b";

test("a link is followed as a browser would", () => {
  assert.deepEqual(readUrl("../c?x=1", BASE), { value: "https://town.example/c?x=1" });
  assert.deepEqual(readUrl("//cdn.example/p.png", BASE), { value: "https://cdn.example/p.png" });
  assert.deepEqual(readUrl("my report.pdf", BASE), { value: "https://town.example/a/my%20report.pdf" });
  assert.deepEqual(readUrl("http-guide", BASE), { value: "https://town.example/a/http-guide" });
});

test("an address that has only a scheme means no value", () => {
  for (const text of ["#", "http://", "https://", "http://N/A", "http://none", "https://-"])
    assert.deepEqual(readUrl(text, BASE), { isEmpty: true }, text);
});

test("a link that leads to no page is malformed", () => {
  for (const text of [
    "javascript:void(0)",
    "mailto:a@b.example",
    "http://a b/",
    "htp://town.example",
    "http//town.example",
    "www.town.example",
    "http://http://town.example",
    "see website",
    "http://.com",
    "http://www.",
    "http:town",
  ])
    assert.ok("problem" in readUrl(text, BASE), text);
});

test("in visible text a host name is an address, and words are not", () => {
  assert.deepEqual(readUrl("www.town.example", BASE, true), { value: "http://www.town.example/" });
  assert.deepEqual(readUrl("town.example/mayor?x=1", BASE, true), { value: "http://town.example/mayor?x=1" });
  assert.deepEqual(readUrl("https://town.example", BASE, true), { value: "https://town.example/" });
  for (const text of ["see below", "our site", "www.", "town", "http://town"])
    assert.ok("problem" in readUrl(text, BASE, true), text);
});

test("an address without a host is malformed", () => {
  for (const text of ["http:///x", "https:////town.example", "http:/town.example"])
    assert.ok("problem" in readUrl(text, "https://county.example/"), text);
});
