import assert from "node:assert/strict";
import { test } from "node:test";
import { field } from "../extraction/field.ts";
import { by } from "../extraction/place.ts";
import { compileScraper } from "../scrapers/compiled-scraper.ts";
import { page as builtIn } from "../scrapers/page.ts";
import type { AnyScraper } from "../scrapers/scraper.ts";
import { explainEach, explainField, pageBeginning, pageOddity } from "./explain-field.ts";
import { judgePages } from "./run-case.ts";

const page = (name: string, text: string) => ({
  name,
  url: "https://site.example/",
  status: 200,
  mediaType: "text/html",
  text,
});
const ready = async (extract: AnyScraper["extract"]) =>
  await compileScraper({
    scraper: { ...builtIn, extract: extract! },
    source: "test",
    version: "1",
    targets: new Map(),
  });

test("a malformed field is shown in its place, with what was expected", async () => {
  const scraper = await ready({ fields: { rate: field.percent("#rate") } });
  const pages = [page("detail", "<p>\n<b id=rate>see clerk</b>\n</p>")];
  const { records } = judgePages(scraper, pages, { key: "1", input: {} });
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
  const { records } = judgePages(scraper, pages, { key: "1", input: {} });
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
  const { records } = judgePages(scraper, pages, { key: "1", input: {} });
  const { fragment } = explainField(scraper, pages, records, { record: 2, field: "y" })!.views[0]!;
  assert.deepEqual([fragment.page, fragment.line], ["b", 2]);
});

test("a page without a single row is explained by its `each`", async () => {
  const scraper = await ready({ from: "list", each: "table.towns tr", fields: { x: field.text("b") } });
  const pages = [page("other", ""), page("list", "<h1>\n<table class=town><tr><td></table>")];
  const told = explainEach(scraper, pages)!;
  assert.match(told.reasons[0]!, /no readable text/);
  assert.match(told.reasons[1]!, /`table` is there, but it is not `\.towns`/);
  assert.equal(told.views[0]!.fragment.line, 2);
});

test("a field that only the record check rejects gets no hint about its own type", async () => {
  const fields = { billed: field.money("#billed"), paid: field.money("#paid") };
  const scraper = await ready({ fields, check: () => ({ paid: "more than was billed" }) });
  const explained = (paid: string) => {
    const pages = [page("bill", `<i id=billed>$5</i><i id=paid>${paid}</i>`)];
    const { records } = judgePages(scraper, pages, { key: "1", input: {} });
    return explainField(scraper, pages, records, { record: 0, field: "paid" })!;
  };
  assert.equal(explained("$9").expects, undefined);
  assert.deepEqual(explained("$9").reasons, ["more than was billed"]);
  assert.ok(explained("nine").expects !== undefined);
});

test("for lists and tables, the wrong row is shown", async () => {
  const scraper = await ready({
    fields: {
      list: field.each("li", { name: field.text("b"), sum: field.money("i") }),
      table: field.table("table", { columns: { sum: field.money(by.column("Sum")) } }),
    },
  });
  const pages = [
    page(
      "p",
      "<ul>\n<li><b>A</b><i>$1</i></li>\n<li><b>B</b><i>x</i></li></ul>\n<table>\n<tr><th>Sum</th><th>x</th></tr>\n<tr><td>$1<td>1</tr>\n<tr><td>y<td>2</tr></table>",
    ),
  ];
  const { records } = judgePages(scraper, pages, { key: "1", input: {} });
  const lines = ["list", "table"].map(
    (name) => explainField(scraper, pages, records, { record: 0, field: name })!.views[0]!.fragment.line,
  );
  assert.deepEqual(lines, [3, 7]);
});

test("an empty page, or one that is not HTML, is reported before its selectors", async () => {
  const scraper = await ready({ fields: { x: field.text("b") } });
  const pages = [{ ...page("data", '{"a":1}'), mediaType: "application/json" }];
  const { records } = judgePages(scraper, pages, { key: "1", input: {} });
  const { reasons } = explainField(scraper, pages, records, { record: 0, field: "x" })!;
  assert.match(reasons[0]!, /not HTML \(application\/json/);
  assert.equal(reasons.length, 2);
});

const asXml = (text: string) => ({ ...page("feed", text), mediaType: "application/rss+xml" });
const asJson = (text: string) => ({ ...page("list", text), mediaType: "application/json" });

test("in XML, names with other case or a prefix are suggested", async () => {
  const scraper = await ready({
    each: "item",
    fields: { id: field.text("id"), on: field.text("pubdate"), who: field.text("creator") },
  });
  const pages = [
    asXml(
      "<rss>\n<item><id>1</id></item>\n<item><id>2</id><pubDate>x</pubDate>\n<dc:creator>A</dc:creator></item></rss>",
    ),
  ];
  const { records } = judgePages(scraper, pages, { key: "1", input: {} });
  const told = (name: string) => explainField(scraper, pages, records, { record: 1, field: name })!;
  assert.match(told("on").views[0]!.title, /similar: `pubDate`/);
  assert.match(told("who").views[0]!.title, /similar: `dc\|creator`/);
  assert.equal(told("who").views[0]!.fragment.line, 4);
  const other = await ready({ each: "entry", fields: { id: field.text("id") } });
  assert.match(explainEach(other, pages)!.reasons[0]!, /XML, <rss>/);
});

test("in JSON, the explanation says how far a path leads in the row, and where the row is", async () => {
  const scraper = await ready({
    each: by.path("data.items"),
    fields: { id: field.number(by.path("id")), owner: field.text(by.path("owner.nmae")) },
  });
  const pages = [
    asJson('{"data":{"items":[\n{"id":1,"owner":{"name":"A"}},\n{"id":"x","owner":{"name":"B"}}]}}'),
  ];
  const { records } = judgePages(scraper, pages, { key: "1", input: {} });
  const owner = explainField(scraper, pages, records, { record: 1, field: "owner" })!;
  assert.deepEqual(owner.reasons, ["`owner` of the row is there, but has no `nmae`; it has name"]);
  assert.equal(owner.views[0]!.fragment.line, 3);
  const id = explainField(scraper, pages, records, { record: 1, field: "id" })!;
  assert.deepEqual([id.views[0]!.fragment.line, id.views[0]!.fragment.column], [3, 7]);
  const other = await ready({ each: by.path("data.item[]"), fields: { id: field.number(by.path("id")) } });
  assert.match(explainEach(other, pages)!.reasons[1]!, /has no `item`; it has items/);
});

test("an empty page, or one that is not HTML, is reported with its type and size", () => {
  assert.match(pageOddity({ mediaType: "text/html", text: " \n" })!, /empty \(text\/html, 2 bytes\)/);
  assert.match(
    pageOddity({ mediaType: "application/json", text: "{}" })!,
    /not HTML \(application\/json, 2 bytes\)/,
  );
  for (const mediaType of ["text/html", "application/xhtml+xml", "application/rss+xml", ""])
    assert.equal(pageOddity({ mediaType, text: "<b>x</b>" }), undefined);
});

test("if nothing was found, the explanation quotes the beginning of the page", () => {
  const text =
    "<html><head><title>t</title></head><body><script>x</script><h1>We are closed</h1></body></html>";
  assert.match(pageBeginning({ mediaType: "text/html", text }), /begins "We are closed"/);
  assert.match(pageBeginning({ mediaType: "text/html", text: "<h1>Closed</h1><p>today" }), /"Closed today"/);
  assert.match(
    pageBeginning({ mediaType: "text/html", text: "<body><script>x</script>" }),
    /no readable text/,
  );
});
