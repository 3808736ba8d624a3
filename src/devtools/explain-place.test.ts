import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHtml } from "../extraction/html-document.ts";
import { by, type Place } from "../extraction/place.ts";
import { explainPlace } from "./explain-place.ts";

const text = `<body>
<script type="application/ld+json">{"@graph":[{"@type":"WebPage"},{"@type":"Recipe","author":{"name":"A"}}]}</script>
<script id="state">{"item":{"price":5}}</script>
<script>window.__DATA__ = {"a":1};</script>
<table><tr><th>Market Value (2025):</th><td>$1</td></tr></table>
<a id="bill" name="x">Bill</a>
<p>Rate: unknown</p>
</body>`;
const document = parseHtml(text);
const lineOf = (at: number): number => text.slice(0, at).split("\n").length;

const explained: readonly (readonly [Place, RegExp, number | undefined])[] = [
  [by.attr("#bill", "href"), /`#bill` is there, but it has no attribute `href`/, 6],
  [by.label("Market values"), /no label "Market values" on the page/, 5],
  [by.regex(/Rate: (\d+)/), /matches nothing in the text of the page/, 7],
  [by.regex(/Rate: (\d+)/, { within: "#rates" }), /nothing on the page matches `#rates`/, undefined],
  [
    by.jsonLd("Recipe", "name"),
    /JSON-LD of type Recipe is there, but has no `name`; it has @type, author/,
    2,
  ],
  [
    by.jsonLd("Recipe", "author.url"),
    /`author` of JSON-LD of type Recipe is there, but has no `url`; it has name/,
    2,
  ],
  [by.jsonLd("Recipes"), /has no Recipes; it has WebPage, Recipe/, 2],
  [
    by.json("script#state", "item.cost"),
    /`item` of `script#state` is there, but has no `cost`; it has price/,
    3,
  ],
  [by.json("script#stat", "item"), /nothing on the page matches|`script` is there/, 2],
  [
    by.state("window.__STATE__", "a"),
    /no script on the page assigns `window\.__STATE__`; there is __DATA__/,
    undefined,
  ],
  [by.state("window.__DATA__", "b"), /`window\.__DATA__` is there, but has no `b`; it has a/, 4],
];
for (const [place, reason, line] of explained)
  test(`${place.by} is explained by what the page has instead`, () => {
    const trail = explainPlace(place, { text, mediaType: "text/html", document })!;
    assert.match(trail.reason, reason);
    const pointer = trail.reached ?? trail.hints[0];
    assert.equal(pointer && lineOf(pointer.at), line);
  });
