import assert from "node:assert/strict";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { after, test } from "node:test";
import { propertyPage } from "../../../bench/site/property-page.ts";
import { detailPage, redesignedDetailPage } from "../../../examples/county/detail-page.ts";
import { listingOf } from "../../../examples/county/listing.ts";
import { DEFAULT_SEED, parcelOf } from "../../../examples/county/parcels.ts";
import type { KeptPage } from "../../domain/capture.ts";
import { judgeRecord } from "../../domain/judgement.ts";
import type { JudgedRecord } from "../../domain/record.ts";
import { loadScraper } from "../../scrapers/load-scraper.ts";
import { compileScraper, type CompiledScraper } from "../../scrapers/compiled-scraper.ts";
import { type Draft, draftScraper } from "./draft-scraper.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-draft-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const page = (text: string, url: string): KeptPage => ({
  name: "page",
  url,
  status: 200,
  mediaType: "text/html",
  text,
});

/** Writes the draft down and loads it as any scraper is. */
const load = async ({ name, source }: Draft): Promise<CompiledScraper> => {
  const file = join(folder, `${name}.scraper.ts`);
  writeFileSync(file, source);
  return await compileScraper(await loadScraper(file));
};

const extract = ({ extraction }: CompiledScraper, from: KeptPage): JudgedRecord[] =>
  extraction!.read([from]).map((record) => judgeRecord(record, extraction!.required));

/** The law of drafting: it loads, it finds on its own page all that it proposes, and its selectors are short. */
const assertHolds = async (draft: Draft, from: KeptPage): Promise<CompiledScraper> => {
  const ready = await load(draft);
  const records = extract(ready, from);
  for (const { name, isOptional } of draft.fields) {
    const statuses = isOptional ? ["present", "empty"] : ["present"];
    const found = records.filter(({ fields }) => statuses.includes(fields[name]?.status ?? "")).length;
    assert.ok(
      isOptional ? found > 0 : found === records.length,
      `${name} is on ${found} of ${records.length}`,
    );
  }
  for (const [, css = ""] of draft.source.matchAll(/field\.\w+\("((?:[^"\\]|\\.)*)"/g))
    assert.ok(css.replace(/\[[^\]]*\]/g, "").split(/[\s>+~]+/).length <= 3, css);
  assert.doesNotMatch(draft.source, /nth-child|nth-of-type/);
  return ready;
};

const typesOf = ({ fields }: Draft): Record<string, string> =>
  Object.fromEntries(fields.map(({ name, draft: { type } }) => [name, type]));

const county = (n: number): KeptPage => {
  const parcel = parcelOf(DEFAULT_SEED, n);
  const text = detailPage(parcel, listingOf(DEFAULT_SEED, parcel, undefined));
  return page(text, `https://tax.example.gov/property/detail.aspx?parcel=${parcel.id}&year=2026`);
};

test("all ten labels of the county's page are proposed, with their types, and its table, list and link", async () => {
  const from = county(7);
  const draft = draftScraper(from, { name: "county" });
  const ready = await assertHolds(draft, from);
  assert.deepEqual(typesOf(draft), {
    parcelNumber: "text",
    ownerName: "text",
    situsAddress: "text",
    legalClass: "text",
    marketValue: "money",
    assessedValue: "money",
    taxYear: "number",
    totalTaxRate: "percent",
    totalTaxDue: "money",
    delinquentAfter: "date",
    description: "text",
    paymentHistory: "table",
    exemptions: "list",
    printTaxBillPdf: "url",
  });
  assert.deepEqual(draft.input, {
    name: "parcel",
    value: parcelOf(DEFAULT_SEED, 7).id,
    before: "/property/detail.aspx?parcel=",
    after: "&year=2026",
  });
  const [record] = extract(ready, from);
  assert.equal(record?.fields["marketValue"]?.value, parcelOf(DEFAULT_SEED, 7).marketValue);
  const history = record.fields["paymentHistory"]?.value;
  assert.equal(Array.isArray(history) && history.length, 12);
});

test("a draft from one parcel reads the others", async () => {
  const ready = await load(draftScraper(county(7), { name: "county-others" }));
  for (let n = 1; n <= 40; n++) {
    const [record] = extract(ready, county(n));
    const bad = ready.extraction!.required.filter(
      (name) => !["present", "empty"].includes(record?.fields[name]?.status ?? ""),
    );
    assert.deepEqual(bad, [], `parcel ${n}`);
    assert.equal(record?.fields["parcelNumber"]?.value, parcelOf(DEFAULT_SEED, n).id);
  }
});

test("a redesign without ids is drafted by its labels", async () => {
  const from = page(redesignedDetailPage(parcelOf(DEFAULT_SEED, 7)), "https://tax.example.gov/p/4711");
  const draft = draftScraper(from, { name: "redesign" });
  await assertHolds(draft, from);
  for (const name of ["account", "place", "market", "assessed", "amount"])
    assert.ok(
      draft.fields.some((field) => field.name === name),
      name,
    );
});

test("generated ids are ignored: the thirteen fields of the bench's page are found by their labels", async () => {
  const from = page(propertyPage(7), "https://tax.example.gov/parcel/7");
  const draft = draftScraper(from, { name: "bench" });
  await assertHolds(draft, from);
  assert.doesNotMatch(draft.source, /ctl00/);
  assert.equal(draft.source.match(/by\.label\(/g)?.length, 13);
});

test("a listing is drafted with a record for each of its rows", async () => {
  const row = (n: number) =>
    `<div class="quote"><span class="text">Text ${n}</span><b class="author">Author ${n}</b><a href="/q/${n}">more</a></div>`;
  const from = page(`<h1>Quotes</h1>${[1, 2, 3, 4].map(row).join("")}`, "https://x.example/list");
  const draft = draftScraper(from, { name: "listing" });
  const records = extract(await assertHolds(draft, from), from);
  assert.deepEqual(
    records.map(({ fields }) => fields["url"]?.value),
    [1, 2, 3, 4].map((n) => `https://x.example/q/${n}`),
  );
});

test("a field whose value the page says it lacks is drafted as optional", async () => {
  const from = page(
    "<table><tr><th>Owner</th><td>SMITH</td></tr><tr><th>Lien</th><td>N/A</td></tr></table>",
    "https://x.example/",
  );
  const draft = draftScraper(from, { name: "has-not" });
  await assertHolds(draft, from);
  assert.deepEqual(
    draft.fields.map(({ name, isOptional }) => [name, isOptional]),
    [
      ["owner", false],
      ["lien", true],
    ],
  );
});

test("links that are values are drafted with the type of their target", async () => {
  const row = (label: string, value: string) => `<tr><th>${label}</th><td>${value}</td></tr>`;
  const from = page(
    `<table>${row("Website", '<a href="/go">Visit us</a>')}${row("E-mail", '<a href="mailto:a@x.example">Write</a>')}${row(
      "Phone",
      '<a href="tel:+15125550142">Call us</a>',
    )}</table>`,
    "https://x.example/",
  );
  const draft = draftScraper(from, { name: "links" });
  const [record] = extract(await assertHolds(draft, from), from);
  assert.deepEqual(
    ["website", "email", "phone"].map((name) => record?.fields[name]?.value),
    ["https://x.example/go", "a@x.example", "+15125550142"],
  );
});

const PAGES = resolve(import.meta.dirname, "../../../../shared/testdata/pages");
const found = globSync("*/page.html", { cwd: PAGES }).sort();
test(
  "the real pages",
  { skip: !existsSync(PAGES) && "the test pages are not beside this checkout" },
  async (t) => {
    assert.equal(found.length, 15);
    for (const file of found)
      await t.test(dirname(file), async () => {
        const host = basename(dirname(file));
        const from = page(readFileSync(join(PAGES, file), "utf8"), `https://www.${host}/recipes/one`);
        const draft = draftScraper(from, { name: host });
        await assertHolds(draft, from);
        assert.ok(draft.fields.length >= 3, `${draft.fields.length} fields`);
      });
  },
);

test("no text of a page becomes code", async () => {
  const evil = [
    "*/ globalThis.hit = 1 /*",
    "`${globalThis.hit = 1}`",
    '"); globalThis.hit = 1; ("',
    "\u2028globalThis.hit = 1//",
  ];
  const text = evil
    .map(
      (bad, at) => `<table id="t${at}"><tr><th>Label ${at} ${bad}</th><td>${bad}</td></tr></table>
      <table id='d${at}${bad.replaceAll("'", "")}' class="grid"><tr><th>a ${bad}</th><th>b</th></tr><tr><td>${bad}</td><td>1</td></tr></table>`,
    )
    .join("");
  const json = JSON.stringify({ "@type": 'Thing"); globalThis.hit = 1; ("', name: evil[0], text: evil[3] });
  const html = `<main>${text}</main><script type="application/ld+json">${json}</script>`;
  const from = page(html, "https://x.example/p/1`${globalThis.hit=1}?q=`${globalThis.hit=1}&id=5");
  const draft = draftScraper(from, { name: "evil" });
  await assertHolds(draft, from);
  assert.ok(draft.fields.length >= evil.length);
  assert.equal("hit" in globalThis, false);
});

test("an empty page gives a draft without fields", () => {
  assert.deepEqual(
    draftScraper(page("<div id=root></div>", "https://x.example/"), { name: "empty" }).fields,
    [],
  );
});

const DRAFTED = "<table><tr><th>Owner</th><td id=owner>SMITH</td></tr></table>";

test("the scraper requests the given URL, on the host that the site redirects to", () => {
  const drafted = (asked: string, came: string) => {
    const { site, input } = draftScraper(page(DRAFTED, came), { name: "sent", asked });
    return [site, "before" in input ? input.before + input.value : input.value];
  };
  assert.deepEqual(drafted("http://x.example/parcel/5", "https://www.x.example/parcel/5"), [
    "https://www.x.example",
    "/parcel/5",
  ]);
  assert.deepEqual(drafted("https://x.example/parcel/5", "https://x.example/session/77/view"), [
    "https://x.example",
    "/parcel/5",
  ]);
});

test("no user name, password or fragment of the URL is in the draft", () => {
  const { source } = draftScraper(page(DRAFTED, "https://ann:secret@x.example/home#top"), { name: "secret" });
  assert.doesNotMatch(source, /ann|secret@|#top/);
});

test("secrets in the URL or in a link are not in the draft, and a comment says so", async () => {
  const from = page(
    '<h1>Plane</h1><table><tr><th>Price<td>$5.00</table><a rel=next href="?sid=S3CRET&page=2">Next</a>',
    "https://shop.example/items/71?view=full&sid=S3CRET&token=T0KEN",
  );
  const draft = draftScraper(from, { name: "secrets" });
  await assertHolds(draft, from);
  assert.deepEqual(draft.leftOut, ["sid", "token"]);
  assert.doesNotMatch(draft.source, /S3CRET|T0KEN/);
  assert.match(draft.source, /\/\/ "sid, token": left out/);
  assert.match(draft.source, /\?view=full`/);
});

test("months are in the page's language, even if English has the same name", async () => {
  const from = page(
    "<html lang=de><h1>Hobel</h1><table><tr><th>Gebaut<td>8. August 2017</table>",
    "https://shop.example/",
  );
  const draft = draftScraper(from, { name: "months" });
  await assertHolds(draft, from);
  assert.match(draft.source, /formats: \["D. MMMM YYYY"\], locale: "de"/);
});

test("numbers of the item are not part of a field's name, unless two fields differ only by them", () => {
  const rows = ["Plane No. 7", "2026 Bill", "2025 Taxes", "2024 Taxes", "Line 2"].map(
    (label) => `<tr><th>${label}<td>${label.length} pounds`,
  );
  const from = page(`<table>${rows.join("")}</table>`, "https://shop.example/items/7");
  const names = draftScraper(from, { name: "numbers" }).fields.map(({ name }) => name);
  assert.deepEqual(names, ["planeNo", "bill", "taxes2025", "taxes2024", "line2"]);
});

test("the draft of a listing with a next page shows how to follow it", async () => {
  const rows = ["Ann", "Bob", "Cid", "Dee"].map(
    (name, at) =>
      `<li class=town><a href=/t/${at}><b class=name>${name}</b></a><i class=mayor>${name}son</i>`,
  );
  const from = page(
    `<ul>${rows.join("")}</ul><a rel=next href=?page=2>Next</a>`,
    "https://towns.example/list",
  );
  const draft = draftScraper(from, { name: "listing" });
  await assertHolds(draft, from);
  assert.equal(draft.next, "a[rel=next]");
  const active = { ...draft, source: draft.source.replace("  // emit:", "  emit:").replace("by, ", "") };
  const source = active.source.replace("import { defineScraper", "import { emitTo, defineScraper");
  assert.equal((await load({ ...active, name: "listing-on", source })).emits?.length ?? 0, 1);
});
