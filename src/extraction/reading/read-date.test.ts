import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { foldSpace } from "../folded-text.ts";
import { between } from "./reading.ts";
import { dateReader } from "./read-date.ts";

test("ISO dates are read by default, with or without a time", () => {
  const read = dateReader();
  for (const text of [
    "2024-02-29",
    "2024-02-29T10:30",
    "2024-02-29 10:30:15.5",
    "2024-02-29T23:59:59Z",
    "2024-02-29T00:00+02:00",
  ]) {
    assert.deepEqual(read(text), { value: "2024-02-29" }, text);
  }
  for (const text of ["02/29/2024", "2024-2-29", "20240229", "2024-02-29x", "2024"])
    assert.ok("problem" in read(text), text);
});

test("formats say how a site writes its dates", () => {
  const cases: readonly (readonly [format: string, text: string, locale?: string])[] = [
    ["MM/DD/YYYY", "02/09/2024"],
    ["M/D/YYYY", "2/9/2024"],
    ["M/D/YYYY", "02/09/2024"],
    ["DD.MM.YYYY", "09.02.2024"],
    ["YYYYMMDD", "20240209"],
    ["M/D/YY", "2/9/24"],
    ["D MMMM YYYY", "9 February 2024"],
    ["MMM D, YYYY", "Feb 9, 2024"],
    ["MMM D, YYYY", "FEB. 9, 2024"],
    ["MMMM Do, YYYY", "February 9th, 2024"],
    ["dddd, MMMM D, YYYY", "Friday, February 9, 2024"],
    ["MM/DD/YYYY h:mm A", "02/09/2024 4:05 PM"],
    ["YYYY-MM-DD HH:mm:ss", "2024-02-09 16:05:00"],
    ["[Paid on] M/D/YYYY", "Paid on 2/9/2024"],
    ["D. MMMM YYYY", "9. Februar 2024", "de"],
    ["D MMMM YYYY", "9 février 2024", "fr"],
    ["D MMMM YYYY", "9 февраля 2024", "ru"],
    ["D [de] MMMM [de] YYYY", "9 de febrero de 2024", "es"],
  ];
  for (const [format, text, locale] of cases) {
    assert.deepEqual(dateReader([format], locale)(text), { value: "2024-02-09" }, `${format}: ${text}`);
  }
});

test("formats are tried in order", () => {
  const read = dateReader(["MM/DD/YYYY", "DD/MM/YYYY"]);
  assert.deepEqual(read("02/09/2024"), { value: "2024-02-09" });
  assert.deepEqual(read("29/02/2024"), { value: "2024-02-29" });
});

test("an impossible day is malformed, and zeros mean no date", () => {
  const read = dateReader(["MM/DD/YYYY"]);
  for (const text of ["02/30/2024", "13/01/2024", "00/10/2024", "02/29/2023", "1/1/2024", "01/01/2024 x"]) {
    assert.ok("problem" in read(text), text);
  }
  assert.deepEqual(read("00/00/0000"), { isEmpty: true });
});

test("two-digit years from 69 on are in the last century", () => {
  assert.deepEqual(dateReader(["M/D/YY"])("1/2/69"), { value: "1969-01-02" });
  assert.deepEqual(dateReader(["M/D/YY"])("1/2/68"), { value: "2068-01-02" });
});

test("a bad format is refused when the field is made", () => {
  for (const format of ["", "MM/YYYY", "YYYY-MM-DD-DD", "Date: M/D/YYYY", "YYYY-MM"]) {
    assert.throws(() => dateReader([format]), TypeError, format);
  }
});

test("a day that a locale writes is read back as it was", () => {
  const styles = [
    ["en-US", "MMMM D, YYYY"],
    ["en-GB", "D MMMM YYYY"],
    ["de-DE", "D. MMMM YYYY"],
    ["fr-FR", "D MMMM YYYY"],
    ["es-ES", "D [de] MMMM [de] YYYY"],
    ["it-IT", "D MMMM YYYY"],
    ["nl-NL", "D MMMM YYYY"],
    ["pl-PL", "D MMMM YYYY"],
    ["sv-SE", "D MMMM YYYY"],
  ] as const;
  const readers = styles.map(([locale, format]) => dateReader([format], locale));
  fc.assert(
    fc.property(
      fc.nat(styles.length - 1),
      fc.date({ min: new Date("1900-01-01"), max: new Date("2100-01-01"), noInvalidDate: true }),
      (pick, day) => {
        const text = new Intl.DateTimeFormat(styles[pick]?.[0], {
          dateStyle: "long",
          timeZone: "UTC",
        }).format(day);
        // French writes the first of a month as "1er".
        const plain = foldSpace(text).replace("1er ", "1 ");
        assert.deepEqual(readers[pick]?.(plain), { value: day.toISOString().slice(0, 10) }, plain);
      },
    ),
    { numRuns: 1000 },
  );
});

test("months are read in every length that sites cut them to", () => {
  const read = dateReader(["DD-MMM-YYYY", "D MMM YYYY"], "en-GB");
  for (const text of ["01-Sep-2026", "01-Sept-2026", "01-SEP-2026", "1 Sept. 2026"])
    assert.deepEqual(read(text), { value: "2026-09-01" }, text);
  const french = dateReader(["D MMMM YYYY"], "fr");
  for (const text of ["3 août 2024", "3 aout 2024"])
    assert.deepEqual(french(text), { value: "2024-08-03" }, text);
  // Juin or juillet: it does not say.
  assert.ok("problem" in french("3 jui 2024"));
});

test("a weekday may precede or follow a date, in its language", () => {
  const read = dateReader(["D [de] MMMM [de] YYYY"], "pt-BR");
  for (const text of [
    "terça-feira, 11 de novembro de 1969",
    "terça, 11 de novembro de 1969",
    "11 de novembro de 1969 (terça-feira)",
  ])
    assert.deepEqual(read(text), { value: "1969-11-11" }, text);
  assert.deepEqual(
    dateReader(["dddd, D [de] MMMM [de] YYYY"], "pt-BR")("terça-feira, 11 de novembro de 1969"),
    {
      value: "1969-11-11",
    },
  );
  assert.deepEqual(dateReader(["DD/MM/YYYY"], "en-GB")("Tue 05/03/2024"), { value: "2024-03-05" });
  assert.ok("problem" in dateReader(["DD/MM/YYYY"], "en-GB")("Dienstag 05/03/2024"));
});

test("with a declared precision, formats need no more than that", () => {
  const month = dateReader(["MMMM YYYY", "D MMMM YYYY"], "en", undefined, { precision: "month" });
  assert.deepEqual(month("May 2026"), { value: "2026-05" });
  assert.deepEqual(month("6 May 2026"), { value: "2026-05" });
  assert.ok("problem" in month("31 June 2026"));
  assert.deepEqual(dateReader([], "en", undefined, { precision: "year" })("2026-05-06"), { value: "2026" });
  assert.throws(() => dateReader(["YYYY"], "en", undefined, { precision: "month" }), TypeError);
  assert.throws(() => dateReader(["MMMM YYYY"]), /precision/);
});

test("limits of a month are compared as months", () => {
  const limits = { min: "2026-05-10", max: "2026-07-01" };
  for (const value of ["2026-05", "2026-06", "2026-07"])
    assert.deepEqual(between(limits, { value }), { value }, value);
  for (const value of ["2026-04", "2026-08"]) assert.ok("problem" in between(limits, { value }), value);
  assert.ok("problem" in between(limits, { value: "2026-05-09T23:59:59Z" }));
});

test("a weekday that contradicts its date makes it malformed, in the format or around it", () => {
  for (const formats of [["D MMMM YYYY"], ["dddd, D MMMM YYYY"]]) {
    const read = dateReader(formats);
    assert.deepEqual(read("Monday, 6 May 2024"), { value: "2024-05-06" });
    assert.match(String(Object.values(read("Tuesday, 6 May 2024"))), /the wrong weekday for 2024-05-06/);
  }
});

test("digits of every script are read", () => {
  const read = dateReader();
  let scripts = 0;
  for (let code = 0x80; code < 0x1fc00; code++) {
    // The zeros: the first digit of each run.
    const isDigit = (at: number): boolean => /^\p{Nd}$/u.test(String.fromCodePoint(at));
    if (!isDigit(code) || isDigit(code - 1)) continue;
    scripts += 1;
    const written = "2024-05-06".replace(/\d/g, (digit) => String.fromCodePoint(code + Number(digit)));
    assert.deepEqual(read(written), { value: "2024-05-06" }, written);
  }
  assert.ok(scripts > 60, String(scripts));
});

test("months are Gregorian, whatever the country's calendar", () => {
  assert.deepEqual(dateReader(["D MMMM YYYY"], "fa")("۶ مه ۲۰۲۴"), { value: "2024-05-06" });
  assert.ok("problem" in dateReader(["D MMMM YYYY"], "fa")("۱۷ دی ۲۰۲۴"));
});

test("a year of another calendar is malformed, unless limits allow it", () => {
  for (const year of [1403, 1445, 2567]) {
    assert.match(String(Object.values(dateReader()(`${year}-05-06`))), /calendar/);
    const style = { min: "1300-01-01", max: "2600-01-01" };
    assert.deepEqual(dateReader([], "en", undefined, style)(`${year}-05-06`), { value: `${year}-05-06` });
  }
  assert.ok("problem" in dateReader([], "ne")("2081-01-24"));
  assert.deepEqual(dateReader()("2081-01-24"), { value: "2081-01-24" });
});
