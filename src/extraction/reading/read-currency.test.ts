import assert from "node:assert/strict";
import { test } from "node:test";
import { foldSpace } from "../folded-text.ts";
import { amountInText, parseMoney, readCurrency, readMoney } from "./read-money.ts";

test("a currency is recognised by its sign, code or name, beside an amount or alone", () => {
  for (const [text, code] of [
    ["€ 5", "EUR"],
    ["US$ 5", "USD"],
    ["5 zł", "PLN"],
    ["CHF", "CHF"],
    ["€", "EUR"],
    ["eur", "EUR"],
    ["R$", "BRL"],
    ["99p", "GBP"],
  ] as const)
    assert.deepEqual(readCurrency(text), { value: code }, text);
});

test("a sign that several currencies share needs the country or the currency", () => {
  for (const text of ["$5", "5 kr", "¥5", "Rs 5", "5"]) assert.ok("problem" in readCurrency(text), text);
  for (const [text, locale, code] of [
    ["$5", "en-US", "USD"],
    ["$5", "en-CA", "CAD"],
    ["$5", "es-MX", "MXN"],
    ["$5", "es-EC", "USD"],
    ["5 kr", "sv", "SEK"],
    ["5 kr.", "da-DK", "DKK"],
    ["¥5", "ja", "JPY"],
    ["¥5", "zh-CN", "CNY"],
    ["Rs 5", "en-IN", "INR"],
    ["Rs 5", "ur-PK", "PKR"],
  ] as const)
    assert.deepEqual(readCurrency(text, { locale }), { value: code }, `${text} ${locale}`);
  // English is written in too many countries.
  assert.ok("problem" in readCurrency("$5", { locale: "en" }));
  assert.deepEqual(readCurrency("$5", { currency: "AUD" }), { value: "AUD" });
  assert.deepEqual(readCurrency("5", { currency: "AUD" }), { value: "AUD" });
});

test("an amount in another currency than the declared one is malformed", () => {
  assert.deepEqual(readMoney("$5.00", { currency: "USD" }), { value: 5 });
  assert.deepEqual(readMoney("5.00", { currency: "USD" }), { value: 5 });
  for (const text of ["€5.00", "5.00 EUR", "CA$5.00"]) {
    assert.ok("problem" in readMoney(text, { currency: "USD" }), text);
    assert.ok("problem" in readCurrency(text, { currency: "USD" }), text);
  }
});

test("a currency with three decimals has them, and one without has none", () => {
  for (const code of ["OMR", "KWD", "BHD", "JOD", "IQD", "LYD", "TND"])
    assert.deepEqual(readMoney(`123,456.789 ${code}`), { value: 123_456.789 }, code);
  assert.deepEqual(readMoney("1,234.567", { currency: "KWD" }), { value: 1234.567 });
  assert.ok("problem" in readMoney("1,234.567 USD"));
  assert.deepEqual(readMoney("1.234 JPY"), { value: 1234 });
  assert.ok("problem" in readMoney("1,234 TND"));
});

test("with words around it, the only amount is read", () => {
  const read = (text: string) => amountInText(text, {});
  assert.deepEqual(read("Total due: $1,234.56 by June 1"), {
    value: { amount: 1234.56, codes: (parse("$1") as { value: { codes: unknown } }).value.codes },
  });
  for (const text of ["$5 or $6", "$5 or €5", "5 of 10", "", "$5-10", "x".repeat(2000)])
    assert.ok("problem" in read(text), text);
  assert.deepEqual(readCurrency("Total 5.00 EUR paid", {}, true), { value: "EUR" });
});

test("among words, an ambiguous amount is refused", () => {
  const texts = [
    "worth $5 bn in 2024",
    "$5 M",
    "only ₹5 lakh",
    "₹ 2 crore",
    "R$ 5 mil reais",
    "€5 mln",
    "€1.5 Mio im Jahr",
    "$5 K",
    "Rp 5 juta",
    "₹5 Cr",
    "€5 Tsd.",
    "USD 5 mn",
    "$5 hundred",
    "₫5 triệu",
    "Price: 4 99 €",
    "$45 . 50",
    "$45 .50",
    "$ 1 , 5",
    "5 ,99 €",
    "5 .99 €",
    "$1..5",
    "Save 20% ($5)",
    "Canon EOS R5",
    "Model R5 costs 7",
  ];
  for (const text of texts) assert.ok("problem" in amountInText(text, {}), text);
  const amount = (text: string, style = {}) => {
    const reading = amountInText(text, style);
    return "value" in reading ? reading.value.amount : undefined;
  };
  assert.equal(amount("worth $5 million in 2024"), 5e6);
  assert.equal(amount("fee ($5 each)"), 5);
  assert.equal(amount("now R273.00"), 273);
  assert.equal(amount("now R273", { locale: "en-ZA" }), 273);
});

const parse = (text: string) => parseMoney(text, {});

/** Countries with a language of theirs, and their currency. */
const COUNTRIES = (
  "en-US USD, es-PR USD, en-CA CAD, fr-CA CAD, en-AU AUD, en-NZ NZD, en-GB GBP, en-IE EUR, " +
  "de-DE EUR, de-AT EUR, fr-FR EUR, es-ES EUR, it-IT EUR, nl-NL EUR, pt-PT EUR, fi-FI EUR, " +
  "el-GR EUR, sk-SK EUR, sl-SI EUR, et-EE EUR, lv-LV EUR, lt-LT EUR, de-CH CHF, fr-CH CHF, " +
  "it-CH CHF, sv-SE SEK, nb-NO NOK, da-DK DKK, is-IS ISK, pl-PL PLN, cs-CZ CZK, hu-HU HUF, " +
  "ro-RO RON, sr-RS RSD, mk-MK MKD, bs-BA BAM, ru-RU RUB, uk-UA UAH, kk-KZ KZT, ka-GE GEL, " +
  "hy-AM AMD, tr-TR TRY, he-IL ILS, ar-EG EGP, ar-SA SAR, ar-AE AED, ar-KW KWD, ar-BH BHD, " +
  "ar-OM OMR, ar-JO JOD, ar-QA QAR, ar-MA MAD, ar-TN TND, ar-DZ DZD, fa-IR IRR, en-ZA ZAR, " +
  "en-NG NGN, en-KE KES, sw-TZ TZS, en-GH GHS, hi-IN INR, en-IN INR, bn-BD BDT, ur-PK PKR, " +
  "si-LK LKR, ne-NP NPR, ja-JP JPY, zh-CN CNY, ko-KR KRW, zh-TW TWD, zh-HK HKD, en-SG SGD, " +
  "ms-MY MYR, id-ID IDR, vi-VN VND, th-TH THB, en-PH PHP, pt-BR BRL, es-MX MXN, es-AR ARS, " +
  "es-CL CLP, es-CO COP, es-PE PEN, es-UY UYU, es-CR CRC, es-GT GTQ, es-DO DOP, es-BO BOB, " +
  "es-PY PYG"
)
  .split(", ")
  .map((pair) => pair.split(" ") as unknown as readonly [locale: string, currency: string]);

test("what Intl writes in a country is read with its amount and its currency", () => {
  const wrong: string[] = [];
  for (const [locale, currency] of COUNTRIES)
    for (const currencyDisplay of ["symbol", "narrowSymbol", "code"] as const)
      for (const amount of [1234, 12.5, 0.75, -50]) {
        const format = new Intl.NumberFormat(locale, { style: "currency", currency, currencyDisplay });
        const shown = Number(amount.toFixed(format.resolvedOptions().maximumFractionDigits ?? 2));
        const decimal = format.formatToParts(1.5).find(({ type }) => type === "decimal")?.value;
        const text = foldSpace(format.format(shown)).replace(/[\u061c\u200e\u200f]/g, "");
        const style = { locale, ...(decimal === "," && { decimal: "," as const }) };
        const got = { ...readMoney(text, style), currency: readCurrency(text, style) };
        const expected = { value: shown, currency: { value: currency } };
        if (JSON.stringify(got) !== JSON.stringify(expected))
          wrong.push(`${locale} ${text}: ${JSON.stringify(got)}`);
      }
  assert.deepEqual(wrong, []);
});
