import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeRecord } from "../domain/judgement.ts";
import type { JudgedField } from "../domain/record.ts";
import { compileExtraction } from "./extract-spec.ts";
import { field } from "./field.ts";
import type { Fields } from "./fields.ts";
import { by } from "./place.ts";

// Sizes at which anything that is not linear would run into the test timeout.

const records = (fields: Fields, text: string, each?: string): Readonly<Record<string, JudgedField>>[] =>
  compileExtraction({ fields, ...(each !== undefined && { each }) })
    .read([{ name: "p", url: "https://town.example/", status: 200, mediaType: "text/html", text }])
    .map((record) => judgeRecord(record, []).fields);

const judged = (fields: Fields, text: string): Readonly<Record<string, JudgedField>> =>
  records(fields, text)[0] ?? assert.fail();

const tooLong = (found: JudgedField | undefined): void => {
  assert.equal(found?.status, "malformed");
  assert.match(found.why ?? "", /^too long/);
};

test("a list of deeply nested elements is too long", () => {
  for (const tag of ["div", "span"]) {
    const { it } = judged({ it: field.list(tag) }, `<${tag}>x`.repeat(100_000));
    tooLong(it);
    assert.deepEqual([it?.by, it?.at], [tag, 0]);
  }
});

test("a few nested lists are read", () => {
  const text = `${"<div>".repeat(200)}x`;
  assert.deepEqual(
    judged({ it: field.list("div") }, text)["it"]?.value,
    Array.from({ length: 200 }, () => "x"),
  );
});

test("a long flat list is read, and so are rows with one entry each", () => {
  const text = "<ul><li>a <b>b</b></ul>".repeat(50_000);
  const items = Array.from({ length: 50_000 }, () => "a b");
  assert.deepEqual(judged({ it: field.list("li") }, text)["it"]?.value, items);
  const rows = records({ it: field.text("li"), bold: field.list("b") }, text, "ul");
  assert.ok(rows.length === 50_000 && rows.every(({ it }) => it?.value === "a b"));
});

test("nested rows have their first fields, and then too long ones", () => {
  const fields = { it: field.text("div"), link: field.url("div"), mail: field.email("div") };
  const rows = records(fields, "<div>x".repeat(40_000), "div");
  assert.equal(rows.length, 40_000);
  assert.equal(rows[0]?.["it"]?.status, "present");
  for (const name of Object.keys(fields)) tooLong(rows[20_000]?.[name]);
  const { it } = judged({ it: field.each("div", { x: field.text("div") }) }, "<div>x".repeat(40_000));
  assert.equal(it?.status, "malformed");
  assert.match(it.why ?? "", /too long/);
});

test("a script with many unfinished values has no value", () => {
  const it = field.text(by.state("window.S", "a"));
  for (const open of ["window.S=[/*", "window.S=['", "window.S={a:[", "S=["])
    assert.equal(judged({ it }, `<script>${open.repeat(300_000)}</script>`)["it"]?.status, "missing", open);
});

test("a value is found after texts that are not values, and not inside another value", () => {
  const it = field.text(by.state("window.S", "a"));
  const script = 'S = load(); S = {b: function () {}}; S = {b: "S = {a: 1}"}; S = {a: 2} /* the end';
  assert.equal(judged({ it }, `<script>${script}</script>`)["it"]?.value, "2");
});

test("JSON of any depth or width is read or reported, never thrown", () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const wide = `[${"1,".repeat(300_000)}{"@type":"X","name":"n"}]`;
  const script = (json: string): string => `<script type="application/ld+json">${json}</script>`;
  tooLong(judged({ it: field.json(by.json("script")) }, script(deep))["it"]);
  tooLong(judged({ it: field.text(by.json("script", "a")) }, script(`{"a":${deep}}`))["it"]);
  assert.equal(judged({ it: field.json("script") }, script(deep))["it"]?.status, "malformed");
  assert.equal(judged({ it: field.text(by.jsonLd("X", "name")) }, script(wide))["it"]?.value, "n");
});

test("no reader scans a long text repeatedly", () => {
  const texts = ["0".repeat(800_000), "a ".repeat(400_000), "a.".repeat(400_000), "( ".repeat(400_000)];
  const where = "p, a";
  const fields = {
    number: field.number(where),
    money: field.money(where),
    percent: field.percent(where),
    date: field.date(where),
    phone: field.phone(where),
    email: field.email(where),
    url: field.url(where),
  };
  for (const text of texts)
    for (const page of [`<p>${text}1#</p>`, `<a href="${text}1#">${text}1#</a>`])
      for (const [kind, { status }] of Object.entries(judged(fields, page)))
        assert.equal(status, "malformed", `${kind} ${text.slice(0, 4)}`);
});
