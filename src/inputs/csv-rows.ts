import { CsvRecords } from "./csv-records.ts";
import type { CsvDialect, CsvRecord } from "./csv-records.ts";
import { InputError } from "./input-error.ts";
import { MAX_ROW_LENGTH } from "./input-row.ts";
import type { InputRow, RowReader } from "./input-row.ts";

/** Every row becomes an object with a member for each. */
const MOST_COLUMNS = 1000;

/** CSV with a header line: each record becomes an object by the names of the header. */
export class CsvRows implements RowReader {
  readonly #file: string;
  readonly #delimiter: string | undefined;
  /** What came before the first line was whole, without blank lines. */
  #head = "";
  #blankReturns = 0;
  #blankLines = 0;
  #records: CsvRecords | undefined;
  #names: readonly string[] | undefined;

  /** Without a delimiter the header decides: a comma, or a semicolon or tab where it has no comma. */
  constructor(file: string, delimiter?: string) {
    this.#file = file;
    this.#delimiter = delimiter;
  }

  push(text: string): InputRow[] {
    return this.#read(text, false);
  }

  end(): InputRow[] {
    const rows = this.#read("", true);
    if (this.#names === undefined) {
      throw this.#badHeader("no-header", 1, "there is nothing in it, not even a header line");
    }
    return rows;
  }

  #read(piece: string, isLast: boolean): InputRow[] {
    if (this.#records !== undefined) return this.#toRows(this.#records.read(piece, isLast));
    const blank = this.#head === "" ? /^[\r\n]*/.exec(piece)![0] : "";
    this.#blankReturns += blank.split("\r").length - 1;
    this.#blankLines += blank.split("\n").length - 1;
    // Only what is new is looked through: a long header may come in many pieces.
    const mayEnd = isLast || this.#head.endsWith("\r") || /[\r\n]/.test(piece.slice(blank.length));
    this.#head += piece.slice(blank.length);
    if (!mayEnd && this.#head.length <= MAX_ROW_LENGTH) return [];
    const text = this.#head;
    const firstLine = /^[^\r\n]*(?=\n|\r.)/s.exec(text)?.[0];
    if (firstLine === undefined && !isLast && text.length <= MAX_ROW_LENGTH) return [];
    this.#head = "";
    const dialect = this.#dialectOf(firstLine ?? text, text);
    this.#records = new CsvRecords(
      dialect,
      1 + (dialect.lineEnd === "\n" ? this.#blankLines : this.#blankReturns),
    );
    return this.#toRows(this.#records.read(text, isLast));
  }

  #dialectOf(firstLine: string, text: string): CsvDialect {
    const delimiter =
      this.#delimiter ?? [",", ";", "\t"].find((character) => firstLine.includes(character)) ?? ",";
    const isReturnAlone = text[firstLine.length] === "\r" && text[firstLine.length + 1] !== "\n";
    return { delimiter, lineEnd: isReturnAlone ? "\r" : "\n" };
  }

  #toRows(records: readonly CsvRecord[]): InputRow[] {
    let from = 0;
    if (this.#names === undefined) {
      const [header] = records;
      if (header === undefined) return [];
      this.#names = this.#readHeader(header);
      from = 1;
    }
    const rows: InputRow[] = [];
    for (let index = from; index < records.length; index += 1) rows.push(toRow(records[index]!, this.#names));
    return rows;
  }

  #readHeader(header: CsvRecord): readonly string[] {
    const { line } = header;
    if ("problem" in header) throw this.#badHeader("bad-header", line, header.problem);
    const names = header.fields.map((name) => name.trim());
    if (names.length > MOST_COLUMNS)
      throw this.#badHeader(
        "bad-header",
        line,
        `it has ${names.length} columns, and at most ${MOST_COLUMNS} are read`,
      );
    if (names.some((name) => /^https?:\/\//i.test(name)) || names.every((name) => /^[\d.,+-]*$/.test(name))) {
      throw this.#badHeader(
        "no-header",
        line,
        `the first line, "${excerpt(names)}", is no line of column names`,
      );
    }
    const empty = names.indexOf("");
    if (empty !== -1) throw this.#badHeader("bad-header", line, `column ${empty + 1} has no name`);
    const seen = new Set<string>();
    const twice = names.find((name) => seen.size === seen.add(name).size);
    if (twice !== undefined) throw this.#badHeader("bad-header", line, `two columns are named "${twice}"`);
    // Assigned to an object, this name would vanish without a trace.
    if (names.includes("__proto__"))
      throw this.#badHeader("bad-header", line, `"__proto__" is no column name`);
    return names;
  }

  #badHeader(code: "bad-header" | "no-header", line: number, reason: string): InputError {
    const wayOut =
      code === "bad-header"
        ? "Give each column of the header line a name of its own, and leave out those that are not needed"
        : "A CSV file begins with the names of its columns, such as parcel,name; a plain list of URLs is read with the format urls";
    return new InputError(code, { file: this.#file, line }, reason, wayOut);
  }
}

const toRow = (record: CsvRecord, names: readonly string[]): InputRow => {
  if ("problem" in record) return record;
  const { line, fields } = record;
  if (fields.length !== names.length) {
    return { line, problem: `${count(fields.length)} where the header has ${count(names.length)}` };
  }
  const value: Record<string, string> = {};
  for (let index = 0; index < names.length; index += 1) value[names[index]!] = fields[index]!;
  return { line, value };
};

const count = (columns: number): string => `${columns} ${columns === 1 ? "column" : "columns"}`;

const excerpt = (names: readonly string[]): string => {
  const text = names.join(",");
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};
