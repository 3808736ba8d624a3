import assert from "node:assert/strict";
import { test } from "node:test";
import { compileExtraction } from "../extraction/extract-spec.ts";
import { field } from "../extraction/field.ts";
import type { ExtractFunction } from "../extraction/extract-function.ts";
import type { KeptPage } from "../model/capture.ts";
import { extract } from "./extract.ts";

const kept = (name: string, text = "<b>ANN</b>"): KeptPage => ({
  name,
  url: "https://a.example/1",
  status: 200,
  mediaType: "text/html",
  text,
});

const failureBy = (run: ExtractFunction) => {
  const result = extract(compileExtraction(run), [kept("page")]);
  assert.ok("failure" in result);
  return result.failure;
};

test("stored pages give the same records again", () => {
  const extraction = compileExtraction({ fields: { owner: field.text("b") } });
  const [first, second] = [extract(extraction, [kept("page")]), extract(extraction, [kept("page")])];
  assert.ok("records" in first);
  assert.equal(first.records[0]?.fields["owner"]?.value, "ANN");
  assert.deepEqual(second, first);
});

test("an extract function that throws is the scraper's error, with the place", () => {
  const failure = failureBy(() => {
    throw new TypeError("owner is undefined");
  });
  assert.equal(failure.kind, "scraper-error");
  assert.match(failure.detail, /TypeError: owner is undefined \(extract\.test\.ts:\d+:\d+\)/);
});

test("an extract function that gives no records is the scraper's error", () => {
  for (const rubbish of [undefined, null, 5, "text", [["a"]], Promise.resolve({ a: 1 }), new Map()])
    assert.equal(failureBy(() => rubbish).kind, "scraper-error");
});

test("what is thrown without being an error is told all the same", () => {
  const failure = failureBy(() => {
    throw "no luck"; // oxlint-disable-line no-throw-literal, only-throw-error
  });
  assert.equal(failure.kind, "scraper-error");
  assert.match(failure.detail, /no luck/);
});

test("a page that extraction needs and collect did not keep is the scraper's error", () => {
  const extraction = compileExtraction({ from: "detail", fields: { owner: field.text("b") } });
  const result = extract(extraction, [kept("search")]);
  assert.ok("failure" in result);
  assert.equal(result.failure.kind, "scraper-error");
  assert.match(result.failure.detail, /"detail".*"search"/);
});
