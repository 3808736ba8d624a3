import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { type CsvDialect, type CsvRecord, CsvRecords } from "./csv-rows.ts";
import { MAX_ROW_LENGTH } from "./input-format.ts";

const COMMA: CsvDialect = { delimiter: ",", lineEnd: "\n" };

const read = (pieces: readonly string[], dialect = COMMA): CsvRecord[] => {
  const records = new CsvRecords(dialect, 1);
  return [...pieces.flatMap((piece) => records.read(piece, false)), ...records.read("", true)];
};

const fieldsOf = (records: readonly CsvRecord[]) =>
  records.map((record) => ("fields" in record ? record.fields : record));

const byCsvParse = (text: string, recordDelimiter: string): string[][] =>
  parse(text, { relax_column_count: true, skip_empty_lines: true, record_delimiter: recordDelimiter });

const cutAt = (text: string, places: readonly number[]): string[] => {
  const cuts = [0, ...places.map((place) => place % (text.length + 1)), text.length].toSorted(
    (a, b) => a - b,
  );
  return cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
};

const places = fc.array(fc.nat(), { maxLength: 6 });
const cell = fc.string({ unit: fc.constantFrom("a", "b", " ", ",", '"', "\n", "\r\n", "é"), maxLength: 5 });
const table = fc.array(fc.array(fc.tuple(cell, fc.boolean()), { minLength: 2, maxLength: 4 }), {
  maxLength: 8,
});

describe("csv-parse agrees", () => {
  test("on every well-formed table, in any chunks", () => {
    fc.assert(
      fc.property(
        table,
        fc.constantFrom("\n", "\r\n"),
        fc.boolean(),
        places,
        (rows, lineEnd, isClosed, cuts) => {
          const lines = rows.map((row) =>
            row
              .map(([text, isQuoted]) =>
                isQuoted || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
              )
              .join(","),
          );
          const text = lines.join(lineEnd) + (isClosed ? lineEnd : "");
          const expected = byCsvParse(text, lineEnd);
          assert.deepEqual(fieldsOf(read(cutAt(text, cuts))), expected);
          assert.deepEqual(
            expected,
            rows.map((row) => row.map(([content]) => content)),
          );
        },
      ),
      { numRuns: 3000 },
    );
  });

  test("on any text that is accepted without an error", () => {
    const text = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n"), maxLength: 16 });
    let taken = 0;
    fc.assert(
      fc.property(text, places, (written, cuts) => {
        let expected: string[][];
        try {
          expected = byCsvParse(written, "\n");
        } catch {
          return;
        }
        taken += 1;
        assert.deepEqual(fieldsOf(read(cutAt(written, cuts))), expected);
      }),
      { numRuns: 10_000 },
    );
    assert.ok(taken > 2000, `${taken} texts`);
  });
});

test("chunk boundaries change nothing, well-formed or not", () => {
  const text = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r"), maxLength: 24 });
  fc.assert(
    fc.property(text, places, fc.constantFrom("\n", "\r"), (written, cuts, lineEnd) => {
      const dialect = { delimiter: ",", lineEnd } as const;
      assert.deepEqual(read(cutAt(written, cuts), dialect), read([written], dialect));
    }),
    { numRuns: 10_000 },
  );
});

const linesOf = (text: string) => read([text]).map(({ line }) => line);

describe("lines", () => {
  test("a record has the number of the line where it begins, including blank lines and quoted line ends", () => {
    assert.deepEqual(linesOf('a,b\n\n"1\n2","3\r\n4"\n5,6\n'), [1, 3, 6]);
  });

  test("a file whose lines end in a carriage return alone is read too", () => {
    assert.deepEqual(fieldsOf(read(['a,b\r"1\r2",3\r'], { delimiter: ",", lineEnd: "\r" })), [
      ["a", "b"],
      ["1\r2", "3"],
    ]);
  });

  test("a quote inside an unquoted field is literal", () => {
    assert.deepEqual(fieldsOf(read(['5" pipe,1\n6,2'])), [
      ['5" pipe', "1"],
      ["6", "2"],
    ]);
  });
});

const outcome = (records: readonly CsvRecord[]) =>
  records.map((record) => [record.line, "problem" in record ? "problem" : record.fields.join("|")]);

describe("after an invalid record", () => {
  test("an unclosed quote rejects only its own line", () => {
    assert.deepEqual(outcome(read(['a,b\n1,"2\n3,4\n5,6\n'])), [
      [1, "a|b"],
      [2, "problem"],
      [3, "3|4"],
      [4, "5|6"],
    ]);
  });

  test("an unclosed quote before another quoted field rejects only its own line", () => {
    assert.deepEqual(outcome(read(['1,"2\n3,"4"\n5,6\n'])), [
      [1, "problem"],
      [2, "3|4"],
      [3, "5|6"],
    ]);
  });

  test("text after a closing quote rejects only its own line", () => {
    assert.deepEqual(outcome(read(['"1"x,2\n3,4\n'])), [
      [1, "problem"],
      [2, "3|4"],
    ]);
  });

  test("an unclosed quote does not buffer the rest of a large file", () => {
    const rows = "1,2\n".repeat(1000);
    const records = new CsvRecords(COMMA, 1);
    records.read('0,"0\n', false);
    let pieces = 0;
    let found: CsvRecord[] = [];
    while (found.length === 0 && pieces * rows.length < 2 * MAX_ROW_LENGTH) {
      found = records.read(rows, false);
      pieces += 1;
    }
    assert.deepEqual(outcome(found.slice(0, 2)), [
      [1, "problem"],
      [2, "1|2"],
    ]);
    assert.equal(found.length, 1 + pieces * 1000);
  });

  test("a line over the limit is one problem, and the next line is read", () => {
    const piece = "x".repeat(MAX_ROW_LENGTH);
    assert.deepEqual(outcome(read(["a,b\n", piece, piece, `"${piece}`, "\n3,4\n"])), [
      [1, "a|b"],
      [2, "problem"],
      [3, "3|4"],
    ]);
  });
});
