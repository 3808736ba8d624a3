import assert from "node:assert/strict";
import { test } from "node:test";
import { pageBeginning, pageOddity } from "./explain-field.ts";

test("a page that is empty, or is no HTML, is said to be so with its type and size", () => {
  assert.match(pageOddity({ mediaType: "text/html", text: " \n" })!, /empty \(text\/html, 2 bytes\)/);
  assert.match(
    pageOddity({ mediaType: "application/json", text: "{}" })!,
    /not HTML \(application\/json, 2 bytes\)/,
  );
  for (const mediaType of ["text/html", "application/xhtml+xml", "application/rss+xml", ""])
    assert.equal(pageOddity({ mediaType, text: "<b>x</b>" }), undefined);
});

test("of a page on which nothing was found the beginning is told, as people read it", () => {
  const text =
    "<html><head><title>t</title></head><body><script>x</script><h1>We are closed</h1></body></html>";
  assert.match(pageBeginning({ mediaType: "text/html", text }), /begins "We are closed"/);
  assert.match(pageBeginning({ mediaType: "text/html", text: "<h1>Closed</h1><p>today" }), /"Closed today"/);
  assert.match(pageBeginning({ mediaType: "text/html", text: "<body><script>x</script>" }), /no text/);
});
