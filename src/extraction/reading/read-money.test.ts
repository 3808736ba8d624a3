import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { foldSpace } from "../folded-text.ts";
import { readMoney } from "./read-money.ts";

const GOOD: readonly (readonly [text: string, value: number])[] = [
  ["$1,234.56", 1234.56],
  ["$ 1,234.56", 1234.56],
  ["1.234,56 €", 1234.56],
  ["€1.234,56", 1234.56],
  ["1 234,56 €", 1234.56],
  ["CHF 1'234.50", 1234.5],
  ["1’234.50 CHF", 1234.5],
  ["£12", 12],
  ["¥1,234", 1234],
  ["₹12,34,567.00", 1_234_567],
  ["US$ 5", 5],
  ["US$5.00 USD", 5],
  ["R$ 1.234,56", 1234.56],
  ["1 234,56 zł", 1234.56],
  ["1 234,50 Kč", 1234.5],
  ["1.234,50 kr.", 1234.5],
  ["Rs. 500", 500],
  ["1 234,56 $ CA", 1234.56],
  ["-$5.00", -5],
  ["$-5.00", -5],
  ["($5.00)", -5],
  ["$(5.00)", -5],
  ["5.00- €", -5],
  ["−5,00 €", -5],
  ["5,- €", 5],
  ["€ 1.234,-", 1234],
  ["Fr. 25.—", 25],
  ["1234.5", 1234.5],
  ["$0.00", 0],
  ["1.25 EUR", 1.25],
  ["$1.2 million", 1_200_000],
  ["1,2 Mio. €", 1_200_000],
  ["€2.345 billion", 2_345_000_000],
  ["USD 3 thousand", 3000],
];

test("amounts are read in any currency", () => {
  for (const [text, value] of GOOD) assert.deepEqual(readMoney(text), { value }, text);
});

test("a currency without an amount means no value", () => {
  for (const text of ["$", "$ -", "$--", "€ —", "USD", "$ N/A", "-- €"]) {
    assert.deepEqual(readMoney(text), { isEmpty: true }, text);
  }
});

test("extra text and ambiguous amounts are malformed", () => {
  const bad = [
    "$1.234",
    "1.234 €",
    "$1.2M",
    "$5 due",
    "5 per year",
    "$5 $6 $7",
    "$1,23,4",
    "$1,234.567",
    "1,2345",
    "due $5",
    "$12/mo",
    "5.00 CR",
  ];
  for (const text of bad) assert.ok("problem" in readMoney(text), text);
});

test("the site's decimal mark resolves the ambiguity", () => {
  assert.deepEqual(readMoney("1.234 €", { decimal: "," }), { value: 1234 });
  assert.deepEqual(readMoney("$1.234", { decimal: "." }), { value: 1.234 });
  assert.deepEqual(readMoney("KWD 1,234.567", { decimal: "." }), { value: 1234.567 });
});

const WRITTEN = [
  "en-US USD",
  "en-US EUR",
  "en-CA CAD",
  "en-GB GBP",
  "en-IN INR",
  "de-DE EUR",
  "de-CH CHF",
  "fr-FR EUR",
  "fr-CA CAD",
  "fr-CA USD",
  "es-ES EUR",
  "es-MX MXN",
  "it-IT EUR",
  "pt-BR BRL",
  "nl-NL EUR",
  "sv-SE SEK",
  "nb-NO NOK",
  "da-DK DKK",
  "pl-PL PLN",
  "cs-CZ CZK",
  "ro-RO RON",
  "ru-RU RUB",
  "uk-UA UAH",
  "tr-TR TRY",
  "he-IL ILS",
  "en-AU AUD",
  "en-PH PHP",
];

test("an amount that a locale writes is read back to the cent", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...WRITTEN),
      fc.constantFrom("standard" as const, "accounting" as const),
      fc.constantFrom("symbol" as const, "code" as const),
      fc.integer({ min: -1e12, max: 1e12 }),
      (written, currencySign, currencyDisplay, cents) => {
        const [locale, currency = "USD"] = written.split(" ");
        const format = new Intl.NumberFormat(locale, {
          style: "currency",
          currency,
          currencySign,
          currencyDisplay,
        });
        const text = foldSpace(format.format(cents / 100));
        assert.deepEqual(readMoney(text), { value: cents === 0 ? 0 : cents / 100 }, `${written}: ${text}`);
      },
    ),
    { numRuns: 2000 },
  );
});

test("amounts without cents, and currencies as words, are read", () => {
  const cases: readonly (readonly [text: string, amount: number])[] = [
    ["30:-", 30],
    ["1 000:-", 1000],
    ["26 119 :-", 26119],
    ["SEK 30:-", 30],
    ["Euro 385,90", 385.9],
    ["0,08 kronor", 0.08],
    ["1.250,00 euro", 1250],
    ["12,50 złotych", 12.5],
  ];
  for (const [text, amount] of cases)
    assert.deepEqual(readMoney(text, { decimal: "," }), { value: amount }, text);
  assert.deepEqual(readMoney("Rs 6,98,959/-"), { value: 698959 });
  assert.deepEqual(readMoney("₹182/-"), { value: 182 });
  for (const text of ["Euro --", "-- kronor", "€ -"])
    assert.deepEqual(readMoney(text), { isEmpty: true }, text);
  for (const text of ["30:15 -", "1/2", "30:-:-"]) assert.ok("problem" in readMoney(text), text);
});
