import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { foldSpace } from "../folded-text.ts";
import { readNumber } from "./read-number.ts";

const GOOD: readonly (readonly [text: string, value: number])[] = [
  ["0", 0],
  ["7", 7],
  ["007", 7],
  ["1234", 1234],
  ["1,234", 1234],
  ["1,234,567", 1_234_567],
  ["1,234.5", 1234.5],
  ["1,234,567.89", 1_234_567.89],
  ["0.125", 0.125],
  [".5", 0.5],
  ["1.234", 1.234],
  ["1.234,56", 1234.56],
  ["1.234.567", 1_234_567],
  ["1.234.567,8", 1_234_567.8],
  ["1234,56", 1234.56],
  ["12,5", 12.5],
  ["0,125", 0.125],
  ["1234,567", 1234.567],
  ["1 234", 1234],
  ["1 234 567,89", 1_234_567.89],
  ["1 234.5", 1234.5],
  ["1'234.50", 1234.5],
  ["1’234’567.50", 1_234_567.5],
  ["12,34,567.89", 1_234_567.89],
  ["1,00,000", 100_000],
  ["-5", -5],
  ["- 5", -5],
  ["+5", 5],
  ["−1 234,5", -1234.5],
  ["–12", -12],
  ["(1,234)", -1234],
  ["( 12.50 )", -12.5],
  ["1,234.50-", -1234.5],
  ["12 -", -12],
  ["(0.00)", 0],
  ["-0", 0],
  ["١٬٢٣٤٫٥", 1234.5],
  ["۱۲۳", 123],
  ["１２３", 123],
  ["9007199254740991", Number.MAX_SAFE_INTEGER],
];

test("numbers are read as people write them", () => {
  for (const [text, value] of GOOD) assert.deepEqual(readNumber(text), { value }, text);
});

test("extra text and wrong digit groups are malformed, never guessed", () => {
  const bad = [
    "12,3x4",
    "1,23,4",
    "12.34.56",
    "1,2345,678",
    "1.234.56",
    "1,234.567.890",
    "1,234 567",
    "1 23",
    "1, 234",
    "0,123,456",
    "$5",
    "5 %",
    "abc",
    "1e5",
    "0x10",
    "1/2",
    "5.",
    "5,",
    ",",
    "1..2",
    "1,,234",
    "--5",
    "-5-",
    "(-5)",
    "(5",
    "5)",
    "+-5",
    "5+",
    "10-20",
    "3 acres",
    "1.5M",
    "Infinity",
    "9007199254740993",
    "12345678901234567890",
  ];
  for (const text of bad) assert.ok("problem" in readNumber(text), text);
});

test("a site's decimal mark resolves an ambiguous text", () => {
  assert.deepEqual(readNumber("1.234", { decimal: "," }), { value: 1234 });
  assert.deepEqual(readNumber("1,234", { decimal: "," }), { value: 1.234 });
  assert.deepEqual(readNumber("1,234", { decimal: "." }), { value: 1234 });
  assert.ok("problem" in readNumber("12,5", { decimal: "." }));
  assert.ok("problem" in readNumber("12.5", { decimal: "," }));
  assert.ok("problem" in readNumber("1,234.5", { decimal: "," }));
  assert.ok("problem" in readNumber("1,234,567", { decimal: "," }));
});

const LOCALES = (
  "en-US en-IN en-ZA de-DE de-CH de-AT fr-FR fr-CH es-ES es-MX it-IT pt-BR pt-PT nl-NL sv-SE nb-NO fi-FI da-DK pl-PL " +
  "cs-CZ hu-HU ru-RU uk-UA tr-TR el-GR he-IL ja-JP ar-EG fa-IR hi-IN bn-BD"
).split(" ");

test("a number that a locale writes is read back as it was", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...LOCALES),
      fc.integer({ min: -1e13, max: 1e13 }),
      fc.integer({ min: 0, max: 3 }),
      (locale, digits, decimals) => {
        const value = Number((digits / 10 ** decimals).toFixed(decimals));
        const format = new Intl.NumberFormat(locale, {
          minimumFractionDigits: decimals,
          maximumFractionDigits: 3,
        });
        const mark = format.formatToParts(1.5).find(({ type }) => type === "decimal")?.value;
        const text = foldSpace(format.format(value));
        const reading = readNumber(text, mark === "," ? { decimal: "," } : { decimal: "." });
        assert.deepEqual(reading, { value: value === 0 ? 0 : value }, `${locale}: ${text}`);
      },
    ),
    { numRuns: 2000 },
  );
});

test("with two decimals, the decimal mark is recognised without an option", () => {
  fc.assert(
    fc.property(fc.constantFrom(...LOCALES), fc.integer({ min: -1e12, max: 1e12 }), (locale, cents) => {
      const text = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(cents / 100);
      assert.deepEqual(
        readNumber(foldSpace(text)),
        { value: cents === 0 ? 0 : cents / 100 },
        `${locale}: ${text}`,
      );
    }),
    { numRuns: 1000 },
  );
});

test("any text gives a number or a problem", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.string({ unit: fc.constantFrom("0", "1", "9", "23", ".", ",", "-", "+", "(", ")", " ", "'") }),
      ),
      (text) => {
        const reading = readNumber(text);
        assert.ok("problem" in reading || ("value" in reading && Number.isFinite(reading.value)));
      },
    ),
    { numRuns: 2000 },
  );
});
