import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { WorkerKit } from "../../test/worker-kit.ts";
import { answer, type Handler } from "../collectors/http/testing/test-site.ts";
import { field } from "../extraction/field.ts";
import { emitTo } from "../scrapers/compile-emit.ts";
import { page } from "../scrapers/page.ts";
import { type AnyScraper, defineScraper } from "../scrapers/scraper.ts";

const PACE = { perSecond: Infinity, concurrency: 50 };

const town = defineScraper({
  name: "town",
  input: z.object({ url: z.string(), region: z.string() }),
  key: ({ url }) => new URL(url).pathname,
  pace: PACE,
  async collect({ input, http, keep }) {
    keep.page("town", await http.get(input.url));
  },
  extract: { fields: { mayor: field.text("b"), phone: field.text("i") } },
});

const toTown = emitTo(town, { each: "li", input: { url: field.url("a"), region: field.text("em") } });
const toNext = emitTo("self", { input: { url: field.url("a.next") } });

const link = (n: number, text = "") => `<li><a href="/town/${n}">${n}</a> <em>${text}</em></li>`;

/** Two listings that lead to four towns, one of them twice; one link has no region. */
const PAGES: Readonly<Record<string, string>> = {
  "/1": `<ul><li>Towns</li>${link(1, "N")}${link(2, "N")}</ul><a class="next" href="/2">more</a>`,
  "/2": `<ul>${link(2, "S")}${link(3, "S")}${link(4)}${link(5, "S")}</ul><a class="next" href="/1">first</a>`,
};

const site: Handler = ({ url }, response) =>
  answer(response, PAGES[url] ?? `<b>Mayor of ${url}</b>${url === "/town/5" ? "" : "<i>123</i>"}`);

const crawl = async (
  own: Partial<AnyScraper>,
  options: { readonly extracts?: boolean; readonly maxItems?: number } = {},
  handler = site,
) => {
  await using kit = await WorkerKit.open(handler);
  await kit.submit(["/1"], { name: "listing", emit: [toTown, toNext], ...own }, options);
  const view = await kit.run();
  const lines = [];
  for (const { records } of await kit.items())
    if (records) lines.push(Buffer.from(await kit.storage.blobs.get(records.blob, records)).toString());
  return { view, items: await kit.items(), lines: lines.join(""), seen: kit.site.seen.length - 1 };
};

test("a listing leads to its next page and to towns, each run once by its own scraper", async () => {
  const { view, items, lines, seen } = await crawl({});
  assert.deepEqual(
    items
      .map(({ key, scraper, parent, depth, state }) => [key, scraper, parent, depth, state])
      .toSorted((a, b) => (a[0]! < b[0]! ? -1 : 1)),
    [
      ["/1", "listing", undefined, 0, "done"],
      ["/2", "listing", "/1", 0, "done"],
      ["/town/1", "town", "/1", 1, "done"],
      ["/town/2", "town", "/1", 1, "done"],
      ["/town/3", "town", "/2", 1, "done"],
      ["/town/5", "town", "/2", 1, "done"],
    ],
  );
  assert.equal(seen, 6);
  assert.equal(view.state, "done");
  const { received, accepted, folded, rejected } = view.counts;
  assert.deepEqual([received, accepted, folded, rejected], [9, 6, 2, 1]);
  assert.deepEqual([view.rejects[0]?.parent, view.rejects[0]?.line], ["/2", 3]);
  assert.match(lines, /"key":"\/town\/3",.*"scraper":"town"/);
});

test("fields are counted per scraper", async () => {
  const { view } = await crawl({ extract: { fields: { mayor: field.text("ul") } } });
  assert.deepEqual(view.spec.fields, ["mayor", "town.mayor", "town.phone"]);
  assert.deepEqual(view.spec.required, ["mayor", "town.mayor", "town.phone"]);
  assert.deepEqual(view.fieldCounts, [2, 0, 0, 0, 4, 0, 0, 0, 3, 0, 1, 0]);
  assert.equal(view.partial, 1);
});

test("a job that only collects follows emitted inputs and makes no records", async () => {
  const { view, items, lines } = await crawl({}, { extracts: false });
  assert.deepEqual([view.counts.states.done, view.partial, view.fieldCounts, lines], [6, 0, [], ""]);
  assert.ok(items.every(({ quality, captures }) => quality === "complete" && captures.length === 1));
});

test("limits on depth and items apply, and inputs beyond them are counted", async () => {
  const shallow = await crawl({ limits: { depth: 0 } });
  assert.deepEqual([shallow.view.counts.accepted, shallow.view.cappedBy.depth], [2, 4]);
  const short = await crawl({ limits: { chain: 0 } });
  assert.deepEqual([short.view.counts.accepted, short.view.cappedBy.chain], [3, 1]);
  const few = await crawl({}, { maxItems: 3 });
  assert.deepEqual([few.view.counts.accepted, few.view.cappedBy.items, few.seen], [3, 1, 3]);
  assert.equal(few.view.state, "done");
});

test("a listing with fewer links than `min` has changed its structure", async () => {
  const { view, items } = await crawl({}, {}, ({ url }, response) =>
    answer(response, url === "/1" ? "<ul></ul>" : ""),
  );
  assert.deepEqual([items.length, items[0]?.failure?.kind], [1, "structure-changed"]);
  assert.equal(view.counts.received, 1);
});

test("inputs found in a failed attempt are emitted only by the successful one", async () => {
  const { items } = await crawl({
    extract: { fields: { title: field.text("h1") } },
    failures: { "structure-changed": { maxAttempts: 1 } },
  });
  assert.deepEqual(
    items.map(({ key, failure }) => [key, failure?.kind]),
    [["/1", "structure-changed"]],
  );
});

test("a function returns the inputs, from the pages that it names", async () => {
  const own = emitTo(page, {
    from: "page",
    inputs: (pages, { input, tools }) => {
      const [first] = pages;
      const links = first ? tools.document(first).all(tools.selector("li a")) : [];
      assert.ok(typeof input === "object");
      return links.map((_, n) => ({ url: new URL(`/town/${n}`, first?.url).href }));
    },
  });
  const { items } = await crawl({ emit: [own] });
  assert.deepEqual(
    items.map(({ scraper, depth }) => [scraper, depth]),
    [
      ["listing", 0],
      ["page", 1],
      ["page", 1],
    ],
  );
});

test("a function that throws is the scraper's error", async () => {
  const broken = emitTo(page, {
    inputs: () => {
      throw new TypeError("no list");
    },
  });
  const { items } = await crawl({ emit: [broken] });
  assert.deepEqual([items.length, items[0]?.failure?.kind], [1, "scraper-error"]);
});
