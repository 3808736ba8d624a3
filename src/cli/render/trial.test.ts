import { storageLocation } from "../../config/storage-location.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { field } from "../../extraction/field.ts";
import type { Failure } from "../../domain/failure.ts";
import { page as builtIn } from "../../scrapers/page.ts";
import { compileScraper } from "../../scrapers/compiled-scraper.ts";
import { judgePages } from "../../devtools/run-case.ts";
import { renderTrial } from "./trial.ts";

/** A trial whose page is this text, of a scraper with so many fields; the first of them is `b`. */
const rendered = async (text: string, count: number, failure?: Failure): Promise<string> => {
  const fields = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`f${at + 1}`, field.text(at === 0 ? "b" : `#f${at + 1}`)]),
  );
  const scraper = { ...builtIn, extract: { fields } };
  const ready = await compileScraper({ scraper, source: "test", version: "1", targets: new Map() });
  const pages = [{ name: "p", url: "https://a.example/", status: 200, mediaType: "text/html", text }];
  const { records } = judgePages(ready, pages, { key: "1", input: {} });
  const end = failure === undefined ? { outcome: "done" as const } : { outcome: "failed" as const, failure };
  const tried = { ...end, key: "1", input: {}, pages, files: [], records, emitted: [] };
  return stripVTControlCharacters(
    renderTrial({ ready, tried, job: "j", location: storageLocation({ data: "data" }) }).join("\n"),
  );
};

test("fields beyond the limit of explanations are counted", async () => {
  const many = await rendered("<b>x</b>", 16);
  assert.match(many, /missing f13/);
  assert.doesNotMatch(many, /missing f14/);
  assert.match(many, /and 3 more fields missing or malformed/);
  assert.doesNotMatch(await rendered("<b>x</b>", 13), /more field/);
});

test("for a page without any field, its beginning is shown, and its URL without secrets", async () => {
  const kind = "structure-changed";
  const failure = { kind, detail: "nothing", url: "https://a.example/?sid=5E55AB" } as const;
  const text = await rendered("<h1>We are closed</h1>", 2, failure);
  assert.match(text, /the page begins "We are closed"/);
  assert.match(text, /sid=\*\*\*/);
  assert.doesNotMatch(text, /5E55AB/);
});

test("the advice on a 404 names accept and absent()", async () => {
  const failure = { kind: "navigation", detail: "the site answered 404", status: 404 } as const;
  assert.match(await rendered("<p>nothing</p>", 1, failure), /accept: \[404\].*throw absent\(\)/);
});
