import assert from "node:assert/strict";
import { test } from "node:test";
import { judgePage } from "../domain/judgement.ts";
import type { RawField } from "../domain/record.ts";
import { compileExtraction } from "./extract-spec.ts";
import type { ExtractSpec } from "./extract-spec.ts";
import { field } from "./field.ts";
import { valuesOf } from "./fields.ts";
import type { Fields } from "./fields.ts";
import { by } from "./place.ts";

const page = { name: "p", url: "https://county.example/", status: 200, mediaType: "text/html" };
const read = <F extends Fields>(spec: ExtractSpec<F>, text: string): Record<string, RawField> =>
  compileExtraction(spec).read([{ ...page, text }])[0]?.fields ?? assert.fail();

const address = field.object(
  {
    street: field.text(".street"),
    zip: field.text(".zip", { pattern: /^\d{5}$/ }),
    geo: field.object({ lat: field.number(".lat") }),
  },
  { within: ".address" },
);

test("the fields of an object are separate fields with dotted names", () => {
  const extraction = compileExtraction({ fields: { owner: field.text(".owner"), address } });
  assert.deepEqual(extraction.fieldNames, ["owner", "address.street", "address.zip", "address.geo.lat"]);
  assert.deepEqual(extraction.required, extraction.fieldNames);
  assert.equal(extraction.fields?.get("address.geo.lat")?.kind, "number");
  const fields = read(
    { fields: { owner: field.text(".owner"), address } },
    "<i class=street>no</i><b class=owner>ANN</b><div class=address><i class=street>1 Elm</i><i class=zip>x</i><i class=lat>30.5</i></div>",
  );
  assert.equal(fields["address.street"]?.value, "1 Elm");
  assert.ok(fields["address.zip"]?.problem);
  assert.deepEqual(valuesOf(fields), {
    owner: "ANN",
    address: { street: "1 Elm", zip: null, geo: { lat: 30.5 } },
  });
});

test("if an object is not on the page, all of its fields are missing; in an optional object, none is required", () => {
  const fields = read({ fields: { address } }, "<i class=street>1 Elm</i>");
  assert.deepEqual(
    Object.values(fields).map(({ raw }) => raw),
    [null, null, null],
  );
  assert.deepEqual(compileExtraction({ fields: { address: address.optional() } }).required, []);
});

test("a name with a dot is refused: dots are for the fields of objects", () => {
  assert.throws(() => compileExtraction({ fields: { "a.b": field.text("b") } }), { code: "bad-spec" });
});

const owners = field.each(".owner", { name: field.text("b"), share: field.percent("i").optional() });

test("each gives a list of objects in one record", () => {
  const html =
    "<div class=owner><b>ANN</b><i>50 %</i></div><div class=owner><b>BOB</b></div><div class=owner> </div>";
  const found = read({ fields: { owners } }, html)["owners"];
  assert.deepEqual(found?.value, [
    { name: "ANN", share: 50 },
    { name: "BOB", share: null },
  ]);
  assert.deepEqual([found?.by, found?.at, found?.raw], [".owner", 0, "ANN50 % | BOB | "]);
});

test("a list with a gap in a required field is malformed, one with only blank rows is empty, one without rows is missing", () => {
  assert.match(
    read({ fields: { owners } }, "<div class=owner><b>A</b></div><div class=owner><i>5 %</i></div>")["owners"]
      ?.problem ?? "",
    /row 2, name/,
  );
  assert.equal(read({ fields: { owners } }, "<div class=owner><b></b></div>")["owners"]?.isEmpty, true);
  assert.equal(read({ fields: { owners } }, "<p>")["owners"]?.raw, null);
});

test("a value that the site says it does not have is empty, with the marker's text", () => {
  const markers = [
    ".no-mayor",
    by.css(".no-mayor"),
    /has no mayor/i,
    by.regex(/no mayor/, { within: "p" }),
    by.label("Note"),
  ];
  for (const none of markers) {
    const fields = { mayor: field.text("#mayor", { none }), town: field.text("h1") };
    const html = "<h1>Elm</h1><p class=no-mayor>This town has no mayor.</p><dl><dt>Note<dd>has no mayor</dl>";
    const [raw] = compileExtraction({ fields }).read([{ ...page, text: html }]);
    const judged = judgePage(raw === undefined ? [] : [raw], ["mayor"]).records[0]?.fields["mayor"];
    assert.equal(judged?.status, "empty");
    assert.match(judged?.why ?? "", /^unavailable: .*no mayor/);
    assert.equal(
      judged?.by,
      typeof none === "string" ? none : "by" in none ? none.by : `regex ${String(none)}`,
    );
    assert.equal(read({ fields }, "<h1>Elm</h1>")["mayor"]?.raw, null, "without the marker it is missing");
    assert.equal(read({ fields }, `${html}<b id=mayor>ANN</b>`)["mayor"]?.value, "ANN", "a value wins");
  }
});

test("a `none` pattern also matches the field's own text", () => {
  const tax = field.money("#tax", { none: /^exempt/i });
  const found = read({ fields: { tax } }, "<p><b id=tax>Exempt by law</b>")["tax"];
  assert.deepEqual([found?.isEmpty, found?.problem, found?.raw], [true, undefined, "Exempt by law"]);
  assert.equal(found?.at, 3);
  assert.ok(read({ fields: { tax } }, "<b id=tax>five</b><p>exempt</p>")["tax"]?.problem);
});

test("a pattern in the page's text has no position, a marker element has", () => {
  const html = "<body><h1>Elm</h1><p>No mayor</p>";
  const at = (none: RegExp | string) => read({ fields: { it: field.text("#it", { none }) } }, html)["it"]?.at;
  assert.equal(at(/no mayor/i), undefined);
  assert.equal(at("p"), html.indexOf("<p>"));
});

const billed = { billed: field.money("#billed"), paid: field.money("#paid") };

test("a check of the whole record makes the fields malformed that it names", () => {
  const spec: ExtractSpec<typeof billed> = {
    fields: billed,
    check: ({ billed: due, paid }) =>
      due === null || paid === null || paid <= due || { paid: "more than was billed" },
  };
  const html = (paid: string): string => `<b id=billed>$5</b>${paid}`;
  assert.equal(read(spec, html("<i id=paid>$5</i>"))["paid"]?.value, 5);
  const wrong = read(spec, html("<i id=paid>$6</i>"));
  assert.deepEqual(
    [wrong["paid"]?.value, wrong["paid"]?.problem, wrong["billed"]?.value],
    [null, "more than was billed", 5],
  );
});

test("a check that names a field which was not found leaves it missing", () => {
  const spec: ExtractSpec<typeof billed> = { fields: billed, check: () => ({ paid: "no" }) };
  const fields = read(spec, "<b id=billed>$5</b>");
  assert.deepEqual(fields["paid"], { raw: null, isEmpty: false, value: null });
});

test("a check that throws, or names no field, is a scraper error", () => {
  for (const check of [() => assert.fail("oh"), () => ({ other: "x" }), () => JSON.parse("null")])
    assert.throws(() => read({ fields: billed, check }, "<p>"), { code: "bad-check" });
});

test("the first place with a value wins, whatever kind of place it is", () => {
  const price = field.money([
    "#price",
    by.meta("price"),
    by.jsonLd("Offer", "price"),
    by.label("Price"),
    by.regex(/costs (\S+)/),
  ]);
  const at = (html: string): unknown => {
    const found = read({ fields: { price } }, html)["price"];
    return [found?.value, found?.by];
  };
  const ld = '<script type="application/ld+json">{"@type":"Offer","price":"3"}</script>';
  const rest = "<dl><dt>Price<dd>$4</dl><body>it costs $5";
  assert.deepEqual(at(`<b id=price>$1</b><meta property=price content=2>${ld}${rest}`), [1, "#price"]);
  assert.deepEqual(at(`<b id=price>--</b><meta property=price content=2>${ld}${rest}`), [2, "meta price"]);
  assert.deepEqual(at(`<b id=price>$ -</b>${ld}${rest}`), [3, "json-ld Offer.price"]);
  assert.deepEqual(at(rest), [4, 'label "Price"']);
  assert.deepEqual(at("<body>it costs $5"), [5, "regex /costs (\\S+)/"]);
  assert.deepEqual(at("<b id=price>--</b>"), [null, "#price"]);
  assert.deepEqual(at("<p>"), [null, undefined]);
});

test("every field says what it expects and where it looks", () => {
  const one = field.date([by.label("Paid"), "#paid"], { formats: ["M/D/YYYY"] });
  assert.deepEqual(
    one.places.map((place) => place.by),
    ['label "Paid"', "#paid"],
  );
  for (const some of [
    one,
    owners,
    field.table("t"),
    field.phone("b"),
    field.json("b"),
    field.text("b", { oneOf: ["x"] }),
  ])
    assert.ok(some.expects.length > 3);
});
