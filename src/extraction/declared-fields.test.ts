import assert from "node:assert/strict";
import { test } from "node:test";
import { declaredExtract } from "./declared-fields.ts";
import { compileExtraction } from "./extract-spec.ts";
import { valuesOf } from "./fields.ts";

const HTML = `<html><head><meta name="county" content="Oak"><script type="application/ld+json">{"@type":"Place","name":"Hall"}</script>
<script id="data" type="application/json">{"a":{"b":7}}</script><script>window.STATE = {"x":["y"]};</script></head><body>
<dl><dt>Owner</dt><dd>Ann Smith</dd><dt>Paid</dt><dd>n/a</dd></dl>
<p id="due">$1,234.50</p><p id="since">02/09/2024</p><p id="rate">1.25 %</p><p id="area">3.5 acres</p>
<a id="site" href="/x" data-id="k7">Site</a><p class="tag">one</p><p class="tag">two</p><p id="code">Ref AB-12 here</p>
<p id="tel">+1 512 555 0142</p><p id="mail">clerk@town.example</p><div id="raw"><b>x</b></div>
<table id="t"><tr><th>Year</th><th>Due</th></tr><tr><td>2023</td><td>$5.00</td></tr><tr><td>2024</td><td>$6.00</td></tr></table>
<ul><li><i>a</i><b>1</b></li><li><i>b</i><b>2</b></li></ul></body></html>`;

const pageOf = (text: string, mediaType = "text/html") => ({
  name: "page",
  url: "https://county.example/p",
  status: 200,
  mediaType,
  text,
});

const read = (declared: unknown, page = pageOf(HTML)): unknown[] =>
  compileExtraction(declaredExtract(declared, { allowsPatterns: true }))
    .read([page])
    .map(({ fields }) => valuesOf(fields));

test("every kind of field and of place can be written as data", () => {
  const [record] = read({
    from: "page",
    fields: {
      owner: { label: "Owner", within: "dl" },
      short: "#due",
      due: { type: "money", select: ["#none", "#due"], currency: "USD", min: 0 },
      currency: { type: "currency", select: "#due", currency: "USD" },
      since: { type: "date", select: "#since", formats: ["MM/DD/YYYY"] },
      rate: { type: "percent", select: "#rate" },
      area: { type: "number", select: "#area", unit: "acres" },
      site: { type: "url", select: "#site" },
      id: { type: "attr", select: "#site", attribute: "data-id" },
      id2: { select: "#site", attribute: "data-id", pattern: "k\\d" },
      tags: { type: "list", select: ".tag" },
      ref: { regex: "Ref (\\w+-\\d+)", flags: "i", within: "#code" },
      county: { meta: "county" },
      place: { jsonLd: "Place", path: "name" },
      seven: { type: "number", json: "#data", path: "a.b" },
      state: { type: "json", state: "window.STATE", path: "x" },
      phone: { type: "phone", select: "#tel" },
      email: { type: "email", select: "#mail" },
      raw: { type: "html", select: "#raw" },
      either: { where: ["#nowhere", { label: "Owner" }] },
      bills: {
        type: "table",
        select: "#t",
        columns: { year: { type: "number", column: "Year" }, due: { type: "money", column: "Due" } },
      },
      rows: {
        type: "each",
        each: "ul > li",
        fields: { letter: "i", digit: { type: "number", select: "b" } },
      },
      names: { type: "object", within: "ul", fields: { first: "i" } },
      gone: { type: "text", select: "#gone", required: false, none: { text: "n/a" } },
    },
  });
  assert.deepEqual(record, {
    owner: "Ann Smith",
    short: "$1,234.50",
    due: 1234.5,
    currency: "USD",
    since: "2024-02-09",
    rate: 1.25,
    area: 3.5,
    site: "https://county.example/x",
    id: "k7",
    id2: "k7",
    tags: ["one", "two"],
    ref: "AB-12",
    county: "Oak",
    place: "Hall",
    seven: 7,
    state: ["y"],
    phone: "+15125550142",
    email: "clerk@town.example",
    raw: "<b>x</b>",
    either: "Ann Smith",
    bills: [
      { year: 2023, due: 5 },
      { year: 2024, due: 6 },
    ],
    rows: [
      { letter: "a", digit: 1 },
      { letter: "b", digit: 2 },
    ],
    names: { first: "a" },
    gone: null,
  });
});

test("each match is a record, also of a JSON list", () => {
  assert.deepEqual(read({ each: "ul > li", fields: { letter: "i" } }), [{ letter: "a" }, { letter: "b" }]);
  const json = pageOf('{"items":[{"n":1},{"n":2}]}', "application/json");
  assert.deepEqual(read({ each: { path: "items[]" }, fields: { n: { type: "number", path: "n" } } }, json), [
    { n: 1 },
    { n: 2 },
  ]);
});

test("errors name their place", () => {
  const refuses = (declared: unknown, message: RegExp): void =>
    assert.throws(() => declaredExtract(declared, { allowsPatterns: true }), { code: "bad-spec", message });
  refuses(undefined, /^extract: `extract` takes its options as an object/);
  refuses({ feilds: {} }, /no option `feilds`\. Did you mean `fields`\?/);
  refuses({ from: 1, fields: { a: "b" } }, /^extract\.from: /);
  refuses(
    { fields: { rows: { type: "each", each: "li", fields: { x: { type: "nope" } } } } },
    /^extract\.fields\.rows\.fields\.x: the type "nope"/,
  );
  refuses(
    { fields: { a: { where: [{ label: "x", foo: 1 }] } } },
    /^extract\.fields\.a: a place has no option `foo`/,
  );
  refuses({ fields: { a: { select: 5 } } }, /`select` must be a string/);
  refuses({ fields: { a: { select: "p", required: "no" } } }, /`required` must be true or false/);
  refuses({ fields: { a: { regex: "(" } } }, /^extract\.fields\.a: Invalid regular expression/);
  const deep = (levels: number): unknown =>
    levels === 0 ? "p" : { type: "object", fields: { x: deep(levels - 1) } };
  refuses({ fields: { a: deep(9) } }, /nested deeper than 8/);
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`f${at}`, "p"]));
  refuses({ fields: many }, /more than 500 fields/);
});
