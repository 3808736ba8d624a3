import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { discover, extract } from "../../pipeline/extract.ts";
import { judge } from "../../pipeline/judge.ts";
import { compileEmit, emitTo } from "../../scrapers/compile-emit.ts";
import { compileExtraction, type ExtractSpec, type ReadablePage } from "../extract-spec.ts";
import { field } from "../field.ts";
import { valuesOf } from "../fields.ts";
import { by } from "../place.ts";
import { entriesAt } from "./json-path.ts";
import { parsePageJson } from "./page-json.ts";

const page = (text: string, mediaType = "application/json"): ReadablePage => ({
  name: "list",
  url: "https://api.example/v1/parcels?page=1",
  status: 200,
  mediaType,
  text,
});
const origin = { job: "j", key: "k", scraper: "s", version: "v" };

const API = JSON.stringify(
  {
    meta: { total: 3, next: "/v1/parcels?page=2" },
    data: {
      items: [
        { id: 17, owner: { name: "Ann &amp; Bob" }, tax: "1234.50", tags: ["a", "b"], paid: "2024-02-09" },
        {
          id: 18,
          owner: { name: null },
          tax: 7,
          tags: [],
          paid: "soon",
          sales: [{ on: "2020-01-02", for: 5 }],
        },
      ],
    },
  },
  null,
  2,
);

const spec: ExtractSpec = {
  each: by.path("data.items[]"),
  fields: {
    id: field.number(by.path("id")),
    owner: field.text(by.path("owner.name")),
    tax: field.money(by.path("tax")),
    tags: field.list(by.path("tags[]")).optional(),
    paid: field.date(by.path("paid")),
    total: field.number(by.path("$.meta.total")),
    sales: field
      .each(by.path("sales"), { on: field.date(by.path("on")), price: field.money(by.path("for")) })
      .optional(),
    note: field.text(by.path("note")).optional(),
  },
};

test("each entry of a JSON list is a record, with fields relative to it and their positions", () => {
  const [first, second] = compileExtraction(spec).read([page(API)]);
  assert.deepEqual(valuesOf(first?.fields ?? {}), {
    id: 17,
    owner: "Ann & Bob",
    tax: 1234.5,
    tags: ["a", "b"],
    paid: "2024-02-09",
    total: 3,
    sales: null,
    note: null,
  });
  assert.deepEqual(second?.fields["sales"]?.value, [{ on: "2020-01-02", price: 5 }]);
  assert.equal(second?.fields["owner"]?.isEmpty, true);
  assert.match(second?.fields["paid"]?.problem ?? "", /soon/);
  assert.equal(second?.fields["note"]?.raw, null);
  assert.equal(first?.fields["tax"]?.at, API.indexOf('"1234.50"'));
  assert.equal(second?.fields["paid"]?.at, API.indexOf('"soon"'));
  assert.equal(first?.fields["total"]?.at, API.indexOf("3,"));
  assert.equal(second?.fields["id"]?.by, "path id");
});

test("rows may come from a list, a map, a list of lists, bare values, lines, and behind a guard or callback", () => {
  const ids = (each: string, path: string, text: string, type?: string): unknown[] =>
    compileExtraction({ each: by.path(each), fields: { id: field.text(by.path(path)) } })
      .read([page(text, type)])
      .map(({ fields }) => fields["id"]?.value);
  assert.deepEqual(ids("", "id", '[{"id":1},{"id":2}]'), ["1", "2"]);
  assert.deepEqual(ids("$", "id", '[{"id":1},{"id":2}]'), ["1", "2"]);
  assert.deepEqual(ids("items", "id", '{"items":[{"id":1},{"id":2}]}'), ["1", "2"]);
  assert.deepEqual(ids("items", "id", '{"items":{"id":1}}'), ["1"]);
  assert.deepEqual(ids("byId.*", "id", '{"byId":{"x":{"id":1},"y":{"id":2}}}'), ["1", "2"]);
  assert.deepEqual(ids("rows[]", "[1]", '{"rows":[["a","b"],["c","d"]]}'), ["b", "d"]);
  assert.deepEqual(ids("ids[]", "", '{"ids":[1,2]}'), ["1", "2"]);
  assert.deepEqual(ids("a[].b[]", "id", '{"a":[{"b":[{"id":1}]},{"b":[]},{"b":[{"id":2}]}]}'), ["1", "2"]);
  assert.deepEqual(ids("", "id", '{"id":1}\n{"id":2}\n', "application/x-ndjson"), ["1", "2"]);
  assert.deepEqual(ids("items", "id", ')]}\',\n{"items":[{"id":1}]}'), ["1"]);
  assert.deepEqual(ids("items", "id", '/**/cb1.go({"items":[{"id":1}]});', "text/javascript"), ["1"]);
});

test("rows may come from a script's variable, from a script's JSON, from JSON-LD, and from a script that is a file", () => {
  const names = (each: ExtractSpec["each"], text: string, type = "text/html"): unknown[] =>
    compileExtraction({
      each: each!,
      fields: { n: field.text(by.path("n")), t: field.text(by.meta("t")).optional() },
    })
      .read([page(text, type)])
      .map(({ fields }) => `${String(fields["n"]?.value)} ${String(fields["t"]?.value)}`);
  const html = `<meta name=t content=T><script>var data = []; var data = [{n: 'a'}, {n: 'b'}]; go()</script>
    <script type=application/json id=d>{"list":[{"n":"c"}]}</script>
    <script type=application/ld+json>{"@graph":[{"@type":"Product","n":"e"},{"@type":"Product","n":"f"}]}</script>`;
  assert.deepEqual(names(by.state("data"), html), ["a T", "b T"]);
  assert.deepEqual(names(by.json("#d", "list[]"), html), ["c T"]);
  assert.deepEqual(names(by.jsonLd("Product"), html), ["e T", "f T"]);
  assert.deepEqual(names(by.state("data"), "var data = [{n: 1}]", "application/javascript"), ["1 null"]);
});

test("an empty list is a valid answer, a missing list is not", () => {
  const extraction = compileExtraction(spec);
  for (const text of ['{"data":{"items":[]}}', '{"data":{"items":null}}']) {
    const found = extract(extraction, [page(text)]);
    assert.ok("records" in found);
    assert.equal(judge(found.records, extraction, origin).failure, undefined);
  }
  const gone = extract(extraction, [page('{"error":"try later"}')]);
  assert.ok("failure" in gone);
  assert.equal(gone.failure.kind, "structure-changed");
  assert.match(gone.failure.detail, /path data\.items\[\]/);
  const nested = compileExtraction({ ...spec, each: by.path("groups[].items[]") });
  assert.deepEqual(nested.read([page('{"groups":[]}')]), []);
});

test("an error page or a truncated response instead of JSON is bad content", () => {
  for (const [text, type] of [
    ["<!doctype html><h1>Sorry</h1>", "text/html"],
    ['{"data":{"items":[{"id":1},', "application/json"],
    ["", "application/json"],
    ['{"id":1}\n{"id"', "application/x-ndjson"],
    [`${"[".repeat(400)}${"]".repeat(400)}`, "application/json"],
  ] as const) {
    const found = extract(compileExtraction(spec), [page(text, type)]);
    assert.ok("failure" in found && found.failure.kind === "bad-content", text);
  }
});

test("inputs and the next page come from JSON; without a next page nothing is emitted", () => {
  const self = { name: "list" };
  const next = compileEmit(emitTo("self", { input: { url: field.url(by.path("meta.next")) } }), "list", {
    compileExtraction,
    valuesOf,
  });
  const detail = compileEmit(
    // Only the name of the target is looked at here.
    {
      ...emitTo("self", { each: by.path("data.items[]"), input: { id: field.number(by.path("id")) } }),
      target: self as never,
    },
    "list",
    { compileExtraction, valuesOf },
  );
  const values = (found: ReturnType<typeof discover>): unknown =>
    "found" in found ? found.found.map(({ inputs }) => inputs.map(({ value }) => value)) : found.failure.kind;
  assert.deepEqual(values(discover([next, detail], [page(API)], {})), [
    [{ url: "https://api.example/v1/parcels?page=2" }],
    [{ id: 17 }, { id: 18 }],
  ]);
  assert.deepEqual(
    values(discover([next, detail], [page('{"meta":{"next":null},"data":{"items":[]}}')], {})),
    [[], []],
  );
  assert.equal(values(discover([detail], [page("{}")], {})), "structure-changed");
});

test("a place that cannot be in a row of JSON is refused when the scraper is loaded", () => {
  const rows = (it: ExtractSpec["fields"][string]) => () =>
    compileExtraction({ each: by.path("items[]"), fields: { it } });
  for (const it of [
    field.text("td.name"),
    field.text(by.label("Owner")),
    field.text(by.json("script", "a")),
    field.table("table"),
    field.each("li", { a: field.text("b") }),
    field.object({ a: field.text(by.path("a")) }, { within: "#x" }),
  ])
    assert.throws(rows(it), { code: "bad-spec" });
  assert.throws(rows(field.text("owner")), /by\.path\("owner"\)/);
  assert.throws(() => compileExtraction({ each: "tr", fields: { it: field.text(by.path("a")) } }), {
    code: "bad-spec",
  });
  assert.throws(() => compileExtraction({ each: by.label("x"), fields: { it: field.text("a") } }), {
    code: "bad-spec",
  });
});

test("a <base> that is quoted in JSON is not the page's", () => {
  const link = field.url(by.path("link"));
  const [record] = compileExtraction({ fields: { link } }).read([
    page('{"html":"<base href=/elsewhere/>","link":"a"}'),
  ]);
  assert.equal(record?.fields["link"]?.value, "https://api.example/v1/a");
});

test("HTML in JSON keeps its entities", () => {
  const html = field.html(by.path("body"));
  const [record] = compileExtraction({ fields: { html } }).read([page('{"body":"<p>a &lt; b</p>\\n"}')]);
  assert.equal(record?.fields["html"]?.value, "<p>a &lt; b</p>\n");
});

test("every value of any JSON has its position", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (json, indent) => {
      const text = JSON.stringify(json, null, indent);
      const root = parsePageJson({ text, mediaType: "" });
      const visit = (entry: typeof root, depth: number): void => {
        const { value, at } = entry;
        assert.ok(at !== undefined);
        const own = JSON.stringify(value, null, indent).split("\n")[0] ?? "";
        assert.ok(text.startsWith(own, at), `${own} at ${at} of ${text}`);
        if (typeof value !== "object" || value === null) return;
        const isStep = (key: string | number): boolean => key === "[]" || key === "*";
        for (const key of Array.isArray(value)
          ? value.keys()
          : Object.keys(value).filter((one) => !isStep(one)))
          for (const child of entriesAt(entry, [key], root.places))
            if (!Array.isArray(value) || typeof key === "number")
              visit({ ...child, places: root.places! }, depth + 1);
      };
      visit(root, 0);
    }),
  );
});
