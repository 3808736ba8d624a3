import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Field } from "../define-field.ts";
import { compileExtraction } from "../extract-spec.ts";
import { field } from "../field.ts";
import { parseLenientJson } from "./json-text.ts";
import { by } from "../place.ts";

const page = { name: "p", url: "https://county.example/", status: 200, mediaType: "text/html" };
const read = (html: string, it: Field<unknown>): unknown => {
  const [record] = compileExtraction({ fields: { it } }).read([{ ...page, text: html }]);
  const found = record?.fields["it"];
  return found?.raw === null ? "missing" : (found?.problem ?? (found?.isEmpty ? "empty" : found?.value));
};
const ld = (json: string): string => `<script type="application/ld+json">${json}</script>`;
const name = field.text(by.jsonLd("Recipe", "name"));

test("JSON-LD is found in lists, graphs and nested objects, also with several types", () => {
  for (const json of [
    '{"@type":"Recipe","name":"Pie"}',
    '[{"@type":"WebPage","name":"x"},{"@type":"Recipe","name":"Pie"}]',
    '{"@graph":[{"@type":"WebPage"},{"@type":["Recipe","NewsArticle"],"name":"Pie"}]}',
    '{"@type":"WebPage","mainEntity":{"@type":"http://schema.org/Recipe","name":"Pie"}}',
    '{"@type":"schema:Recipe","name":["Pie","Tart"]}',
    '{"@type":"Recipe"}</script><script type="application/ld+json">{"@type":"Recipe","name":"Pie"}',
  ])
    assert.equal(read(ld(json), name), "Pie", json);
});

test("common errors in JSON are accepted", () => {
  for (const json of [
    '{"@type":"Recipe","name":"Pie",}',
    '{"@type":"Recipe" /* kind */,"name":"Pie"} // end',
    '<!-- {"@type":"Recipe","name":"Pie"} -->',
    '//<![CDATA[\n{"@type":"Recipe","name":"Pie"}\n//]]>',
    '/*<![CDATA[*/{"@type":"Recipe","name":"Pie"}/*]]>*/',
    '{"@type":"Recipe","text":"two\nlines\tand \\x41","name":"Pie"}',
    '{"@type":"Recipe","name":"Pie"};',
    "{&quot;@type&quot;:&quot;Recipe&quot;,&quot;name&quot;:&quot;Pie&quot;}",
    '\uFEFF{"@type":"Recipe","name":"Pie"}',
    '{"@type":"Recipe","name":"Pie","bad":"it\\\'s"}',
  ])
    assert.equal(read(ld(json), name), "Pie", json);
  for (const json of ["", "{", '{"@type":"Recipe","name"', "<p>", "function(){}"])
    assert.equal(read(ld(json), name), "missing", json);
});

test("texts of JSON are decoded once and folded, null is empty, an object is a problem", () => {
  assert.equal(read(ld('{"@type":"Recipe","name":"Tom &amp;amp;\\n Jerry"}'), name), "Tom &amp; Jerry");
  assert.equal(read(ld('{"@type":"Recipe","name":null}'), name), "empty");
  assert.equal(read(ld('{"@type":"Recipe","name":[]}'), name), "empty");
  assert.equal(read(ld('{"@type":"Recipe"}'), name), "missing");
  assert.equal(read(ld('{"@type":"Recipe","name":{"@value":"Pie"}}'), name), "Pie");
  assert.match(String(read(ld('{"@type":"Recipe","name":{"odd":1}}'), name)), /object/);
  const author = field.text(by.jsonLd("Recipe", "author.name"));
  assert.equal(read(ld('{"@type":"Recipe","author":null}'), author), "empty");
  assert.equal(read(ld('{"@type":"Recipe","author":[null,{"name":"Ann"}]}'), author), "Ann");
  assert.equal(read(ld('{"@type":"Recipe","author":{}}'), author), "missing");
});

test("numbers in JSON do not depend on the site's locale", () => {
  const price = field.money(by.jsonLd("Offer", "price"), { locale: "de" });
  assert.equal(read(ld('{"@type":"Offer","price":1.234}'), price), 1.234);
  assert.equal(read(ld('{"@type":"Offer","price":"1234.50"}'), price), 1234.5);
  assert.equal(read(ld('{"@type":"Offer","price":"1.234,50"}'), price), 1234.5);
});

test("an integer with too many digits for a number is never rounded", () => {
  const id = by.jsonLd("Offer", "id");
  for (const json of [
    '{"@type":"Offer","id":12345678901234567891}',
    '{"@type":"Offer",id:12345678901234567891,}',
  ]) {
    assert.equal(read(ld(json), field.text(id)), "12345678901234567891");
    assert.match(String(read(ld(json), field.number(id))), /12345678901234567891/);
  }
  assert.equal(read(ld('{"@type":"Offer","id":1234567890123456}'), field.number(id)), 1234567890123456);
  assert.equal(read(ld('{"@type":"Offer","id":0.12345678901234568}'), field.number(id)), 0.12345678901234568);
});

test("a list takes the texts of its entries, and an entry without a text is malformed", () => {
  const steps = field.list(by.jsonLd("Recipe", "steps"));
  const at = (json: string): unknown => read(ld(`{"@type":"Recipe","steps":${json}}`), steps);
  assert.deepEqual(at('["mix", {"@type":"HowToStep","name":"2","text":"bake"}, null]'), ["mix", "bake"]);
  assert.deepEqual(at('"mix"'), ["mix"]);
  assert.equal(at("[]"), "empty");
  assert.match(String(at('["mix", {"odd": 1}]')), /object/);
});

test("a single value is read as a list of one", () => {
  const ingredients = (json: string): unknown =>
    read(
      ld(`{"@type":"Recipe","recipeIngredient":${json}}`),
      field.list(by.jsonLd("Recipe", "recipeIngredient[]")),
    );
  assert.deepEqual(ingredients('"2 eggs"'), ["2 eggs"]);
  assert.deepEqual(ingredients('["2 eggs","milk"]'), ["2 eggs", "milk"]);
  assert.deepEqual(ingredients("3"), ["3"]);
  assert.equal(ingredients("null"), "empty");
  assert.equal(ingredients("[]"), "empty");
  const second = ',"recipeIngredient":[]},{"@type":"Recipe","recipeIngredient":["milk"]}';
  assert.deepEqual(
    read(ld(`[{"@type":"Recipe"${second}]`), field.list(by.jsonLd("Recipe", "recipeIngredient[]"))),
    ["milk"],
  );
  for (const path of ["name[0]", "name[-1]", "name[]"])
    assert.equal(read(ld('{"@type":"Recipe","name":"Pie"}'), field.text(by.jsonLd("Recipe", path))), "Pie");
  assert.equal(
    read(ld('{"@type":"Recipe","name":"Pie"}'), field.text(by.jsonLd("Recipe", "name[1]"))),
    "missing",
  );
});

test("images are links, written as a text, an object or a list", () => {
  const image = field.url(by.jsonLd("Recipe", "image"));
  for (const json of [
    '"/a.jpg"',
    '{"url":"/a.jpg"}',
    '["/a.jpg","/b.jpg"]',
    '[{"@type":"ImageObject","url":"/a.jpg"}]',
  ])
    assert.equal(read(ld(`{"@type":"Recipe","image":${json}}`), image), "https://county.example/a.jpg", json);
});

test("paths go into objects and lists", () => {
  const html = `<script id=data type=application/json>{"a":{"b":[{"c":1},{"c":2}]},"odd.name":"x"}</script>`;
  const at = (path: string): unknown => read(html, field.json(by.json("#data", path)));
  assert.deepEqual(at("a.b[1]"), { c: 2 });
  assert.equal(at("a.b[-1].c"), 2);
  assert.equal(at("a.b.c"), 1);
  assert.deepEqual(at("a.b[].c"), [1, 2]);
  assert.equal(at('["odd.name"]'), "x");
  assert.equal(at("a.x"), "missing");
  assert.throws(() => by.json("#data", "a["), TypeError);
});

test("state is the value that a script assigns to a variable, and no code runs", () => {
  const state = field.json(by.state("window.__STATE__", "item.id"));
  for (const script of [
    "window.__STATE__ = {item: {id: 7}};",
    'var x=1; window["__STATE__"]={"item":{"id":7,},}; go()',
    "const __STATE__={item:{'id':7,when:undefined}}",
    `window.__STATE__ = JSON.parse('{"item":{"id":7}}')`,
    "if (window.__STATE__ == null) window.__STATE__ = {item:{id:7, html: '<b>}</b>'}}",
  ])
    assert.equal(read(`<script>${script}</script>`, state), 7, script);
  assert.equal(read("<script>window.__STATE__ = load({item:{id:7}})</script>", state), "missing");
  assert.equal(read("<script>window.__STATE__2 = {item:{id:7}}</script>", state), "missing");
});

test("any JSON is read back unchanged, and no text makes it throw", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const json: unknown = JSON.parse(text);
      assert.deepEqual(parseLenientJson(text), json);
      // A comma too many makes it one for the lenient way.
      if (typeof json === "object" && json !== null) assert.deepEqual(parseLenientJson(`${text},`), json);
    }),
  );
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom("{", "}", "[", "]", '"', "'", ",", ":", "\\", "a", "x", "1", " "),
      }),
      (text) => void parseLenientJson(text),
    ),
  );
});

const pages = resolve(import.meta.dirname, "../../../../shared/testdata/pages");

test(
  "every JSON-LD of the real pages is read",
  { skip: existsSync(pages) ? false : "there are no stored pages beside this checkout" },
  () => {
    let count = 0;
    for (const file of globSync("*/page.html", { cwd: pages })) {
      const text = readFileSync(resolve(pages, file), "utf8");
      for (const [, json = ""] of text.matchAll(/<script[^>]*ld\+json[^>]*>([^]*?)<\/script>/gi)) {
        assert.ok(parseLenientJson(json) !== undefined, file);
        count++;
      }
    }
    assert.ok(count >= 15);
  },
);

test("a computed value is not read as the literal that it begins with", () => {
  const state = field.json(by.state("data"));
  const script = (code: string) => `<script>${code}</script>`;
  for (const code of [
    "var data = [10 -2, 3];",
    "var data = [1, 2].concat([3]);",
    "var data = { v: 1 }.w;",
    "var data = [[1], [2]][0];",
    "var data = { v: `a ${b}` };",
  ])
    assert.equal(read(script(code), state), "missing", code);
  assert.deepEqual(read(script("var data = { v: '\\u{1F600}' };\n[1].map(f)"), state), { v: "😀" });
  assert.deepEqual(read(script("var data = [{ v: 1 } { v: `$5` }]"), state), [{ v: 1 }, { v: "$5" }]);
});

test("a JSON number that is too large is malformed", () => {
  const it = field.number(by.path("v"));
  const [record] = compileExtraction({ fields: { it } }).read([
    { ...page, mediaType: "application/json", text: '{"v":1e400}' },
  ]);
  assert.equal(record?.fields["it"]?.value, null);
  assert.ok(record?.fields["it"]?.problem);
});
