import assert from "node:assert/strict";
import { test } from "node:test";
import { compileExtraction } from "./extract-spec.ts";
import type { ExtractSpec } from "./extract-spec.ts";
import type { ExtractFunction } from "./extract-function.ts";
import { field } from "./field.ts";
import { by } from "./place.ts";

const page = { name: "p", url: "https://town.example/", status: 200, mediaType: "text/html" };
const read = (spec: ExtractSpec | ExtractFunction, text: string) => {
  const [record] = compileExtraction(spec).read([{ ...page, text }]);
  return record?.fields ?? assert.fail();
};

test("no value contains a NUL character, whatever it is read from", () => {
  const fields = {
    text: field.text("b"),
    attr: field.attr("b", "title"),
    money: field.money("i"),
    html: field.html("b"),
    url: field.url("a"),
    list: field.list("li"),
    regex: field.text(by.regex(/Ref: (\S+)/)),
    label: field.text(by.label("Owner")),
    jsonLd: field.text(by.jsonLd("Thing", "name")),
    json: field.json(by.jsonLd("Thing", "more")),
    table: field.table("table"),
    transform: field.text("b", { transform: (text) => `${text}\0` }),
  };
  const html =
    '<b title="a\0b">A\0B</b><i>$1\0,234.50</i><a href="/x\0y">x</a><ul><li>a\0<li>b</ul><p>Ref: 1\x002 end</p>' +
    "<dl><dt>Owner</dt><dd>An\0n</dd></dl><table><tr><th>Na\0me</th><th>B</th></tr><tr><td>x\0y</td><td>1</td></tr></table>" +
    '<script type="application/ld+json">{"@type":"Thing","name":"A\\u0000B","more":{"x\\u0000":["y\\u0000"]}}</script>';
  const found = read({ fields }, html);
  for (const [name, { value, raw }] of Object.entries(found)) {
    assert.notEqual(value, null, name);
    assert.ok(!JSON.stringify(value).includes("\\u0000") && raw?.includes("\0") === false, name);
  }
  assert.equal(found["text"]?.value, "AB");
  assert.equal(found["money"]?.value, 1234.5);
  assert.deepEqual(found["json"]?.value, { x: ["y"] });
});

test("no value of a scraper's own function contains a NUL character", () => {
  const found = read(() => ({ "a\0": "x\0", deep: [{ "b\0": "\0y" }], none: "\0" }), "");
  assert.deepEqual(
    Object.entries(found).map(([name, { value }]) => [name, value]),
    [
      ["a", "x"],
      ["deep", [{ b: "y" }]],
      ["none", null],
    ],
  );
});
