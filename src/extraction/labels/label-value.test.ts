import assert from "node:assert/strict";
import { test } from "node:test";
import type { Field } from "../define-field.ts";
import { compileExtraction } from "../extract-spec.ts";
import { field } from "../field.ts";
import { by } from "../place.ts";

const page = { name: "p", url: "https://county.example/", status: 200, mediaType: "text/html" };
const owner = field.text(by.label("Owner"));
const value = field.text(by.label("Market value"));

const read = (html: string, fields: Record<string, Field<unknown>> = { owner, value }): unknown[] => {
  const [record] = compileExtraction({ fields }).read([{ ...page, text: html }]);
  return Object.values(record?.fields ?? {}).map(({ raw, isEmpty, value: found }) =>
    raw === null ? "missing" : isEmpty ? "empty" : found,
  );
};

test("a bold value is a value", () => {
  for (const html of [
    "<table><tr><th>Owner</th><td><b>ANN</b></td></tr><tr><th>Market value</th><td><b>$5</b></td></tr></table>",
    "<table><tr><th><b>Owner</b></th><td><b>ANN</b></td></tr><tr><th><b>Market value</b></th><td>$5</td></tr></table>",
    "<table><tr><td><b>Owner</b></td><td><b>ANN</b></td></tr><tr><td><b>Market value</b></td><td>$5</td></tr></table>",
    "<table><tr><th>Owner:</th><td><b>ANN</b></td><th>Market value:</th><td><b>$5</b></td></tr><tr><td>x</td></tr></table>",
    "<table><tr><td>Owner:</td><td><b>ANN</b></td><td>Market value:</td><td><b>$5</b></td></tr></table>",
  ])
    assert.deepEqual(read(html), ["ANN", "$5"], html);
});

test("a value of marks only, or a blank one, is empty, and the block after it is not the value", () => {
  for (const none of ["–", "…", "- -", ".", "?", "--", "", "&nbsp;", "&#8203;"])
    for (const html of [
      `<div><span>Owner</span> <span>${none}</span></div><div><span>Zone</span> <span>R1</span></div>`,
      `<div class=row><div>Owner</div><div>${none}</div></div><div class=row><div>Zone</div><div>R1</div></div>`,
      `<div><div>Owner</div><p>${none}</p></div><ul><li>Pool</li></ul>`,
      `<table><tr><td>Owner</td><td>${none}</td><td>Zone</td><td>R1</td></tr></table>`,
      `<div><b>Owner:</b> <em>${none}</em></div><div>Zone: R1</div>`,
    ])
      assert.deepEqual(read(html, { owner }), ["empty"], html);
});

test("an icon behind a label is not its value", () => {
  for (const icon of [
    "<i class=x></i>",
    "<img src=help.gif>",
    "<span class='help-icon icon'></span>",
    "<sup>1</sup>",
  ])
    assert.deepEqual(
      read(`<div><div><span>Owner</span>${icon}</div><div>ANN</div></div>`, { owner }),
      ["ANN"],
      icon,
    );
});

test("a value may have several lines if there is only one label", () => {
  assert.deepEqual(read("<ul><li><strong>Owner:</strong> 12 Elm St<br>Austin</li></ul>", { owner }), [
    "12 Elm St Austin",
  ]);
  assert.deepEqual(read("<p>Owner: ANN<br>BOB</p>", { owner }), ["ANN BOB"]);
  assert.deepEqual(read("<p><b>Owner:</b> ANN<br>Deed 12<br><b>Market value:</b> $5</p>"), ["ANN", "$5"]);
  assert.deepEqual(read("<p>Owner: ANN<br>Market value: $5</p>"), ["ANN", "$5"]);
});

test("a value keeps the spaces around a highlighted part", () => {
  assert.deepEqual(read("<li><b>Owner:</b> <em>Ann </em>&amp; Bob</li>", { owner }), ["Ann & Bob"]);
});

test("an image is not a link: a blank cell may have one to keep its width", () => {
  const link = field.url(by.label("Owner"));
  assert.deepEqual(read("<table><tr><th>Owner<td><img src=spacer.gif></table>", { link }), ["empty"]);
  assert.deepEqual(read("<li><b>Owner:</b> <img src=spacer.gif></li>", { link }), ["empty"]);
  assert.deepEqual(read("<table><tr><th>Owner<td><a href=/o><img src=a.gif></a></table>", { link }), [
    "https://county.example/o",
  ]);
});
