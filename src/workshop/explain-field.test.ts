import assert from "node:assert/strict";
import { test } from "node:test";
import { field } from "../extraction/field.ts";
import { page as builtIn } from "../scrapers/page.ts";
import { readyScraper } from "../scrapers/ready-scraper.ts";
import type { AnyScraper } from "../scrapers/scraper.ts";
import { explainEach, explainField } from "./explain-field.ts";
import { judgePages } from "./judge-pages.ts";

const page = (name: string, text: string) => ({
  name,
  url: "https://site.example/",
  status: 200,
  mediaType: "text/html",
  text,
});
const ready = async (extract: AnyScraper["extract"]) =>
  await readyScraper({
    scraper: { ...builtIn, extract: extract! },
    source: "test",
    version: "1",
    targets: new Map(),
  });

test("a malformed field is shown where it stands, with what was expected", async () => {
  const scraper = await ready({ fields: { rate: field.percent("#rate") } });
  const pages = [page("detail", "<p>\n<b id=rate>see clerk</b>\n</p>")];
  const { records } = judgePages(scraper, pages, "1");
  const told = explainField(scraper, pages, records, { record: 0, field: "rate" })!;
  assert.equal(told.raw, "see clerk");
  assert.equal(told.reasons.length, 1);
  assert.ok(told.expects !== undefined && told.expects !== "");
  assert.equal(told.views[0]!.fragment.page, "detail");
  assert.equal(told.views[0]!.fragment.line, 2);
});

test("a missing field is explained place by place, in the row of its record", async () => {
  const scraper = await ready({
    each: "li",
    fields: { id: field.text("b"), name: field.text(["i.name", "u.name"]) },
  });
  const pages = [
    page("list", "<ul>\n<li><b>1</b><i class=name>A</i></li>\n<li><b>2</b><i class=nam>B</i></li>\n</ul>"),
  ];
  const { records } = judgePages(scraper, pages, "1");
  const told = explainField(scraper, pages, records, { record: 1, field: "name" })!;
  assert.equal(told.reasons.length, 2);
  assert.match(told.reasons[0]!, /`i` is there, but it is not `\.name`/);
  assert.equal(told.views[0]!.fragment.line, 3);
});

test("records of several pages are explained on their own page", async () => {
  const scraper = await ready({
    from: ["a", "b"],
    each: "p",
    fields: { x: field.text("b"), y: field.number("i") },
  });
  const pages = [
    page("a", "<p><b>1</b><i>1</i></p>"),
    page("b", "<p><b>1</b><i>2</i></p>\n<p><b>2</b><i>z</i></p>"),
  ];
  const { records } = judgePages(scraper, pages, "1");
  const { fragment } = explainField(scraper, pages, records, { record: 2, field: "y" })!.views[0]!;
  assert.deepEqual([fragment.page, fragment.line], ["b", 2]);
});

test("a page without a single row is explained by its `each`", async () => {
  const scraper = await ready({ from: "list", each: "table.towns tr", fields: { x: field.text("b") } });
  const pages = [page("other", ""), page("list", "<h1>\n<table class=town><tr><td></table>")];
  const told = explainEach(scraper, pages)!;
  assert.match(told.reasons[0]!, /`table` is there, but it is not `\.towns`/);
  assert.equal(told.views[0]!.fragment.line, 2);
});
