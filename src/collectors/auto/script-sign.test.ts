import assert from "node:assert/strict";
import { test } from "node:test";
import { scriptSign } from "./script-sign.ts";

const page = (body: string, head = ""): string =>
  `<!doctype html><html><head><title>Parcel 1</title>${head}<script src=/app.js></script></head><body>${body}</body></html>`;

/** What a county's page has around its data. */
const CHROME = `<nav>${Array.from({ length: 60 }, (_, n) => `<a href=/${n}>Department of matters ${n}</a>`).join("")}</nav>`;

test("pages that scripts build are recognised, each by its sign", () => {
  for (const [html, sign] of [
    [page("<div id=root></div>"), /empty root element/],
    [page(`${CHROME}<div class="x" id="app"><!-- filled later --></div>`), /empty root element/],
    [page("<app-root></app-root>"), /empty root element/],
    [
      page(`${CHROME}<noscript>You need to enable JavaScript to run this app.</noscript>`),
      /needs JavaScript/,
    ],
    [page(`${CHROME}<noscript><p>This site needs JavaScript.</p></noscript>`), /needs JavaScript/],
    [page("<h1>Parcel</h1>"), /shows 6 characters/],
    [page(`${CHROME}<div v-cloak>{{ owner }}</div>`), /built with Vue/],
    [page(`${CHROME}<td data-bind="text: owner"></td>`), /built with Knockout/],
    [page(`${CHROME}<div hx-get=/detail hx-trigger=load></div>`), /built with htmx/],
    [page(`${CHROME}<div class="row skeleton"></div>`), /placeholder for data/],
    [page(`${CHROME}<p>Loading&hellip;</p>`), /placeholder for data/],
  ] as const)
    assert.match(scriptSign(html) ?? "none", sign, html.slice(-120));
});

test("a page that contains its content has no sign, with or without scripts", () => {
  assert.equal(scriptSign(page(`${CHROME}<table><tr><td id=owner>Ann Smith</table>`)), undefined);
  assert.equal(scriptSign("<h1>Parcel</h1>"), undefined, "no script at all");
  assert.equal(
    scriptSign(page(`${CHROME}<noscript><img src="https://stats.example/pixel"></noscript>`)),
    undefined,
  );
});

test("data inside the page is named, because it can be read without a browser", () => {
  for (const [tag, place] of [
    ['<script id="__NEXT_DATA__" type="application/json">{}</script>', "script#__NEXT_DATA__"],
    ['<script type="application/ld+json">{}</script>', "script[type='application/ld+json']"],
  ] as const)
    assert.ok(scriptSign(page(`<div id=root></div>${tag}`))!.includes(`may be in ${place}: see by.json`));
});

test("no page takes long to check", () => {
  for (const hostile of [
    "<div id=root ".repeat(200_000),
    "<noscript>".repeat(200_000),
    `<script${" ".repeat(2_000_000)}`,
    `<div id=app>${"<!--".repeat(400_000)}`,
    'class="'.repeat(300_000),
    "javascript ".repeat(200_000),
  ])
    scriptSign(`<script></script>${hostile}`);
});
