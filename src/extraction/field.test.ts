import assert from "node:assert/strict";
import { test } from "node:test";
import type { RawField } from "../domain/record.ts";
import type { Field } from "./define-field.ts";
import { field } from "./field.ts";
import type { RecordOf } from "./field.ts";
import { compileExtraction } from "./extract-spec.ts";

const page = { name: "detail", url: "https://county.example/a/b", status: 200, mediaType: "text/html" };
const read = <T>(of: Field<T>, html: string): RawField => {
  const [record] = compileExtraction({ fields: { it: of } }).read([{ ...page, text: html }]);
  return record?.fields["it"] ?? assert.fail();
};

test("a value comes with its raw text and the selector that found it", () => {
  assert.deepEqual(read(field.money("#tax"), "<b id=tax>&nbsp;$1,200.50 </b>"), {
    raw: "$1,200.50",
    by: "#tax",
    at: 0,
    isEmpty: false,
    value: 1200.5,
  });
});

test("invisible characters are removed from the value and stay in the raw text", () => {
  const found = read(field.money("b"), "<b>&#8203;$1,&shy;200.50&#xFEFF;</b>");
  assert.equal(found.value, 1200.5);
  assert.match(found.raw ?? "", /\u200b/);
  assert.equal(read(field.text("b"), "<b>AN&shy;N&#8203;</b>").value, "ANN");
});

test("a field that no selector finds is null, not empty", () => {
  assert.deepEqual(read(field.text([".a", ".b"]), "<p>x</p>"), { raw: null, isEmpty: false, value: null });
});

test("the first selector with a value wins, else the first that matches", () => {
  const owner = field.text([".owner", "#own", ".last"]);
  assert.equal(read(owner, "<b id=own>B</b><i class=last>C</i>").by, "#own");
  assert.equal(read(owner, "<b id=own>--</b><i class=last>C</i>").by, ".last");
  const none = read(owner, "<b id=own>--</b><i class=last></i>");
  assert.deepEqual([none.by, none.raw, none.isEmpty, none.value], ["#own", "--", true, null]);
});

test("a placeholder is empty before `transform` runs, and so is an empty result of `transform`", () => {
  const second = field.text("p", { transform: (text) => text.split(":")[1]?.trim() ?? assert.fail() });
  assert.equal(read(second, "<p>Owner: ANN</p>").value, "ANN");
  assert.equal(read(second, "<p>N/A</p>").isEmpty, true);
  assert.equal(read(second, "<p>Owner: --</p>").isEmpty, true);
});

test("a failing transform or check makes only its own field malformed, with the reason", () => {
  const thrown = read(field.text("p", { transform: () => assert.fail("oh") }), "<p>x</p>");
  assert.match(thrown.problem ?? "", /oh/);
  assert.equal(thrown.raw, "x");
  const odd = { transform: (): string => JSON.parse("null") };
  assert.ok(read(field.text("p", odd), "<p>x</p>").problem);
  assert.match(read(field.number("p", { check: () => assert.fail("no") }), "<p>1</p>").problem ?? "", /no/);
  assert.equal(read(field.number("p", { check: (n) => n > 5 || "too few" }), "<p>1</p>").problem, "too few");
  assert.equal(read(field.number("p", { check: (n) => n > 5 || "too few" }), "<p>6</p>").value, 6);
});

test("a check that returns neither true nor a text has failed", () => {
  const soon = { check: (): true => JSON.parse("1") };
  assert.ok(read(field.text("p", soon), "<p>x</p>").problem);
});

test("limits, patterns and choices make a value malformed", () => {
  assert.ok(read(field.percent("p", { min: 0, max: 100 }), "<p>101 %</p>").problem);
  assert.ok(read(field.number("p", { min: 0 }), "<p>-1</p>").problem);
  assert.equal(read(field.number("p", { min: 0, max: 0 }), "<p>0</p>").value, 0);
  assert.ok(read(field.date("p", { min: "2000-01-01" }), "<p>1999-12-31</p>").problem);
  assert.ok(read(field.text("p", { oneOf: ["PAID", "DUE"] }), "<p>paid</p>").problem);
  assert.equal(read(field.text("p", { oneOf: ["PAID", "DUE"] }), "<p>PAID</p>").value, "PAID");
  assert.ok(read(field.text("p", { pattern: /^\d+$/ }), "<p>1x</p>").problem);
});

test("a global pattern judges the same text the same way every time", () => {
  const digits = field.text("p", { pattern: /\d/g });
  for (let round = 0; round < 3; round++) assert.equal(read(digits, "<p>1</p>").value, "1");
});

test("an element without the attribute is not a match", () => {
  const bill = field.attr("a", "DATA-bill");
  assert.equal(read(bill, "<a data-bill=' 7 '>x</a>").value, "7");
  assert.equal(read(bill, "<a>x</a>").raw, null);
  assert.equal(read(bill, "<a data-bill>x</a>").isEmpty, true);
});

test("links are followed from the page's base, by the element's own attribute", () => {
  assert.equal(
    read(field.url("a"), "<a href='../c?x=1&amp;y=2'>go</a>").value,
    "https://county.example/c?x=1&y=2",
  );
  assert.equal(read(field.url("img"), "<img src=//cdn.example/p.png>").value, "https://cdn.example/p.png");
  assert.equal(read(field.url("form"), "<form action=search>").value, "https://county.example/a/search");
  assert.equal(read(field.url("a"), "<a href='#'>go</a>").isEmpty, true);
  assert.equal(read(field.url("a"), "<a>go</a>").raw, null);
  assert.equal(read(field.url("a"), "<a href='http://'>go</a>").isEmpty, true);
  for (const href of ["javascript:void(0)", "mailto:a@b.example", "http://a b"]) {
    assert.ok(read(field.url("a"), `<a href="${href}">go</a>`).problem, href);
  }
});

test("if an element has no link, its text is read: a placeholder or an address", () => {
  assert.equal(read(field.url("#x"), "<span id=x>N/A</span>").isEmpty, true);
  assert.equal(read(field.url("#x"), "<a id=x>not available</a>").isEmpty, true);
  assert.equal(read(field.url("#x"), "<a id=x href='N/A'>go</a>").isEmpty, true);
  assert.equal(read(field.url("#x"), "<span id=x>www.town.example</span>").value, "http://www.town.example/");
  assert.ok(read(field.url("#x"), "<span id=x>see map</span>").problem);
  // A link without an address is not the place: the next one may be.
  assert.equal(read(field.url(["#x", "#y"]), "<a id=x>go</a><a id=y href=/y>go</a>").by, "#y");
});

test("no value of any kind begins or ends with invisible characters", () => {
  const unseen = "&#8203;&#8204;&#8288;&shy;";
  const cell = (text: string): string => `<p>${unseen}${text}${unseen}</p>`;
  for (const it of [field.text("p"), field.email("p"), field.url("p"), field.date("p")])
    assert.equal(read(it, cell("")).isEmpty, true, it.kind);
  assert.equal(read(field.money("p"), cell("")).isEmpty, true);
  assert.equal(read(field.list("p"), cell("")).isEmpty, true);
  assert.equal(read(field.text("p", { oneOf: ["Paid"] }), cell("Paid")).value, "Paid");
  assert.equal(read(field.text("p", { pattern: /^\d+$/ }), cell("12")).value, "12");
  assert.deepEqual(read(field.list("p"), cell("a")).value, ["a"]);
  assert.equal(read(field.url("a"), `<a href="/x${unseen}">go</a>`).value, "https://county.example/x");
  assert.equal(read(field.attr("a", "title"), `<a title="${unseen}Ann">go</a>`).value, "Ann");
});

test("a list takes all matches that have text", () => {
  const list = field.list("li");
  assert.deepEqual(read(list, "<li>a<li>--<li>b").value, ["a", "b"]);
  assert.equal(read(list, "<li>--<li>").isEmpty, true);
  assert.equal(read(list, "<p>").raw, null);
  assert.ok(read(field.list("li", { oneOf: ["a"] }), "<li>a<li>b").problem);
  assert.equal(
    read(field.list("li", { check: (all) => all.length < 2 || "two" }), "<li>a<li>b").problem,
    "two",
  );
});

test("`optional` returns a new field and does not change the original", () => {
  const owner = field.text("p");
  const optional = owner.optional();
  assert.deepEqual([owner.isRequired, optional.isRequired], [true, false]);
  assert.equal(read(optional, "<p>x</p>").value, "x");
  assert.throws(() => Object.assign(owner, { isRequired: false }), TypeError);
});

test("a field with a bad selector, or without one, is refused", () => {
  assert.throws(() => field.text("td["), { code: "bad-selector", selector: "td[" });
  assert.throws(() => field.text([".a", "b::x"]), { code: "bad-selector", selector: "b::x" });
  assert.throws(() => field.text([]), TypeError);
});

test("options of a wrong type are refused when the field is created, not on the first page", () => {
  // @ts-expect-error a place is made with `by`
  assert.throws(() => field.text({ css: "h1" }), TypeError);
  // @ts-expect-error a marker is a selector, a pattern or a place
  assert.throws(() => field.text("h1", { none: { text: "none" } }), TypeError);
  // @ts-expect-error "comma" would be passed over, and 1,234 read as 1234
  assert.throws(() => field.number("h1", { decimal: "comma" }), TypeError);
  // @ts-expect-error there is no such precision
  assert.throws(() => field.date("h1", { precision: "mnth" }), TypeError);
});

test("the record's type follows from its fields", () => {
  const fields = {
    status: field.text("b", { oneOf: ["PAID", "DUE"] }),
    tax: field.money("i"),
    notes: field.list("li").optional(),
  };
  const record: RecordOf<typeof fields> = { status: "PAID", tax: null, notes: ["a"] };
  // @ts-expect-error a status that is not one of the choices
  const wrong: RecordOf<typeof fields> = { ...record, status: "OTHER" };
  assert.notEqual(wrong.status, record.status);
});
