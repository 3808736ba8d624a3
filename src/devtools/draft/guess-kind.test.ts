import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHtml } from "../../extraction/html-document.ts";
import { ENGLISH, guessKind, type Kind, kindOfAll, pageStyle } from "./guess-kind.ts";

const KINDS: readonly (readonly [label: string, text: string, type: Kind["type"], format?: string])[] = [
  ["Market value", "$123,456", "money"],
  ["Price", "1.234,50 €", "money"],
  ["Rate", "1.7916%", "percent"],
  ["Tax year", "2026", "number"],
  ["Acres", "0.25", "number"],
  ["Parcel number", "6836644549", "text"],
  ["Account", "123", "text"],
  ["Zip", "78617", "text"],
  ["Reference", "0042", "text"],
  ["Serial", "6836644549001", "text"],
  ["Due", "01/31/2027", "date", "MM/DD/YYYY"],
  ["Due", "1/31/2027", "date", "M/D/YYYY"],
  ["Due", "31/01/2027", "date", "DD/MM/YYYY"],
  ["Born", "March 4, 1998", "date", "MMMM D, YYYY"],
  ["Born", "4 Mar 1998", "date", "D MMMM YYYY"],
  ["Updated", "2026-11-15", "date"],
  ["Phone", "512-555-0147", "phone"],
  ["Contact", "(512) 555-0147", "phone"],
  ["Contact", "+41 44 555 01 47", "phone"],
  ["E-mail", "office@example.gov", "email"],
  ["Owner", "D'ANGELO FAMILY TRUST", "text"],
  ["Status", "PAID", "text"],
];
for (const [label, text, type, format] of KINDS)
  test(`${label}: ${text} is a ${type}`, () => {
    const { type: found, options } = guessKind(text, label);
    assert.deepEqual([found, options?.formats?.[0]], [type, format]);
  });

const GERMAN = { order: "day-first", locale: "de", country: "DE" } as const;

test("numbers and months are read in the page's language, which becomes an option of the field", () => {
  assert.deepEqual(guessKind("1.234", "Einwohner", GERMAN), { type: "number", options: { locale: "de" } });
  assert.deepEqual(guessKind("1.234,50 €", "Preis", GERMAN), { type: "money", options: { locale: "de" } });
  assert.deepEqual(guessKind("4. März 2026", "Datum", GERMAN), {
    type: "date",
    options: { formats: ["D. MMMM YYYY"], locale: "de" },
  });
  assert.deepEqual(guessKind("030 901820", "Telefon", GERMAN), { type: "phone", options: { country: "DE" } });
  assert.deepEqual(guessKind("03/04/2026", "Datum", GERMAN).options, { formats: ["DD/MM/YYYY"] });
});

test("a number that is impossible in the page's language is read as written", () => {
  assert.deepEqual(guessKind("1,234.50", "Betrag", GERMAN), { type: "number" });
});

test("a column has the type that all of its non-blank cells have", () => {
  assert.deepEqual(kindOfAll(["$1", "", "$2.50"], "Paid", ENGLISH), { type: "money" });
  assert.deepEqual(kindOfAll(["$1", "waived"], "Paid", ENGLISH), { type: "text" });
  assert.deepEqual(kindOfAll(["10/12/2026", "1/2/2026"], "Date", ENGLISH).options?.formats, ["M/D/YYYY"]);
});

const styleOf = (lang: string, ...dates: readonly string[]) =>
  pageStyle(
    parseHtml(`<html lang="${lang}"><table>${dates.map((date) => `<td>${date}`).join("")}</table></html>`),
  );

test("a day above 12 anywhere on the page decides which number is the month", () => {
  assert.equal(styleOf("en", "03/04/2026", "31/01/2027").order, "day-first");
  assert.equal(styleOf("fr", "03/04/2026", "01/31/2027").order, "month-first");
});

test("without such a day, the page's language decides", () => {
  assert.equal(styleOf("en-US", "03/04/2026").order, "month-first");
  assert.equal(styleOf("en-GB", "03/04/2026").order, "day-first");
  assert.equal(styleOf("de").order, "day-first");
});

test("a language other than English becomes the locale, however it is written", () => {
  assert.equal(styleOf("de_ch").locale, "de-CH");
  assert.equal(styleOf("en-GB").locale, undefined);
  assert.equal(styleOf("not a language").locale, undefined);
});

test("the country is the one where most speakers of the language live, unless the page names one", () => {
  assert.deepEqual(
    ["fr", "fr-CH", "en", "en-GB", "?"].map((lang) => styleOf(lang).country),
    ["FR", "CH", "US", "GB", "US"],
  );
});
