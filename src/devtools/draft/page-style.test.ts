import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHtml } from "../../extraction/html-document.ts";
import { pageStyle } from "./guess-kind.ts";

const styleOf = (lang: string, ...dates: readonly string[]) =>
  pageStyle(
    parseHtml(`<html lang="${lang}"><table>${dates.map((date) => `<td>${date}`).join("")}</table></html>`),
  );

test("a day above 12 anywhere on the page says which number is the month", () => {
  assert.equal(styleOf("en", "03/04/2026", "31/01/2027").order, "day-first");
  assert.equal(styleOf("fr", "03/04/2026", "01/31/2027").order, "month-first");
});

test("without such a day the page's language says it", () => {
  assert.equal(styleOf("en-US", "03/04/2026").order, "month-first");
  assert.equal(styleOf("en-GB", "03/04/2026").order, "day-first");
  assert.equal(styleOf("de").order, "day-first");
});

test("a language that is not English is the page's locale, however it is written", () => {
  assert.equal(styleOf("de_ch").locale, "de-CH");
  assert.equal(styleOf("en-GB").locale, undefined);
  assert.equal(styleOf("not a language").locale, undefined);
});

test("the country is that of the language where most speak it, unless the page says", () => {
  assert.deepEqual(
    ["fr", "fr-CH", "en", "en-GB", "?"].map((lang) => styleOf(lang).country),
    ["FR", "CH", "US", "GB", "US"],
  );
});
