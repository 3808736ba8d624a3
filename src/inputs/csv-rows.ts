import { InputError, type InputRow, MAX_ROW_LENGTH, type RowReader } from "./input-format.ts";

/** Each row becomes an object with this many members at most. */
const MOST_COLUMNS = 1000;

/** CSV with a header line: each record becomes an object with the header's names. */
export class CsvRows implements RowReader {
  readonly #file: string;
  readonly #delimiter: string | undefined;
  /** The beginning of the file until the first line is complete, without blank lines. */
  #head = "";
  #blankReturns = 0;
  #blankLines = 0;
  #records: CsvRecords | undefined;
  #names: readonly string[] | undefined;

  /** Without a delimiter the header decides: a comma, or a semicolon or tab if it has no comma. */
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
      throw this.#badHeader("no-header", 1, "the file is empty");
    }
    return rows;
  }

  #read(piece: string, isLast: boolean): InputRow[] {
    if (this.#records !== undefined) return this.#toRows(this.#records.read(piece, isLast));
    const blank = this.#head === "" ? /^[\r\n]*/.exec(piece)![0] : "";
    this.#blankReturns += blank.split("\r").length - 1;
    this.#blankLines += blank.split("\n").length - 1;
    // Only new text is searched: a long header may arrive in many pieces.
    const mayEnd = isLast || this.#head.endsWith("\r") || /[\r\n]/.test(piece.slice(blank.length));
    this.#head += piece.slice(blank.length);
    if (!mayEnd && this.#head.length <= MAX_ROW_LENGTH) return [];
    const text = this.#head;
    const firstLine = /^[^\r\n]*(?=\n|\r.)/s.exec(text)?.[0];
    if (firstLine === undefined && !isLast && text.length <= MAX_ROW_LENGTH) return [];
    this.#head = "";
    const dialect = this.#dialectOf(firstLine ?? text, text);
    this.#refuseWide(firstLine ?? text, dialect.delimiter);
    this.#records = new CsvRecords(
      dialect,
      1 + (dialect.lineEnd === "\n" ? this.#blankLines : this.#blankReturns),
    );
    return this.#toRows(this.#records.read(text, isLast));
  }

  /** Before its names are made: many clients may send such a header at once. */
  #refuseWide(firstLine: string, delimiter: string): void {
    if (firstLine.includes('"')) return;
    let columns = 1;
    for (let at = firstLine.indexOf(delimiter); at >= 0; at = firstLine.indexOf(delimiter, at + 1)) columns++;
    if (columns > MOST_COLUMNS) throw this.#tooWide(columns, 1);
  }

  #tooWide(columns: number, line: number): InputError {
    return this.#badHeader("bad-header", line, `it has ${columns} columns; the limit is ${MOST_COLUMNS}`);
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
    if (names.length > MOST_COLUMNS) throw this.#tooWide(names.length, line);
    if (names.some((name) => /^https?:\/\//i.test(name)) || names.every((name) => /^[\d.,+-]*$/.test(name))) {
      throw this.#badHeader("no-header", line, `the first line, "${excerpt(names)}", is not a header line`);
    }
    const empty = names.indexOf("");
    if (empty !== -1) throw this.#badHeader("bad-header", line, `column ${empty + 1} has no name`);
    const seen = new Set<string>();
    const twice = names.find((name) => seen.size === seen.add(name).size);
    if (twice !== undefined) throw this.#badHeader("bad-header", line, `two columns are named "${twice}"`);
    // Assigned to an object, this name would vanish.
    if (names.includes("__proto__"))
      throw this.#badHeader("bad-header", line, `"__proto__" is not a valid column name`);
    return names;
  }

  #badHeader(code: "bad-header" | "no-header", line: number, reason: string): InputError {
    const wayOut =
      code === "bad-header"
        ? "Give each column a unique name, and remove columns that are not needed"
        : "A CSV file starts with its column names, for example parcel,name; for a plain list of URLs use the format urls";
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

/** Characters: shorter records are parsed again with every piece. */
const LONG = 64 * 1024;

export interface CsvDialect {
  readonly delimiter: string;
  /** `\n` includes CRLF. */
  readonly lineEnd: "\n" | "\r";
}

export type CsvRecord =
  | { readonly line: number; readonly fields: string[] }
  | { readonly line: number; readonly problem: string };

/**
 * CSV as in RFC 4180 and in practice: blank lines are skipped, a quote inside an unquoted field is literal. After an
 * invalid record, reading continues at the next line of the file: an unclosed quote costs one row, not all that follow.
 * Lines without a quote, nearly all in practice, are only split at their delimiters.
 */
export class CsvRecords {
  readonly #dialect: CsvDialect;
  #rest = "";
  /** A long incomplete record is parsed again when its length has doubled: otherwise each piece would cost all before it. */
  #enough = 0;
  /** Line number of the start of `#rest`. */
  #line: number;
  /** Inside a line that is too long: everything up to its end is skipped. */
  #isSkipping = false;

  constructor(dialect: CsvDialect, firstLine: number) {
    this.#dialect = dialect;
    this.#line = firstLine;
  }

  read(piece: string, isLast: boolean): CsvRecord[] {
    const text = this.#rest + piece;
    if (!isLast && text.length < this.#enough) {
      this.#rest = text;
      return [];
    }
    const records: CsvRecord[] = [];
    const lineEnds = new Occurrences(text, this.#dialect.lineEnd);
    const delimiters = new Occurrences(text, this.#dialect.delimiter);
    const quotes = new Occurrences(text, '"');
    let at = 0;
    while (at < text.length) {
      const end = lineEnds.from(at);
      const line = this.#line;
      const hasEnd = isLast || end < text.length;
      const isTooLong = text.length - at > MAX_ROW_LENGTH;

      if (this.#isSkipping || quotes.from(at) >= end) {
        if (!hasEnd && !isTooLong && !this.#isSkipping) break;
        if (!hasEnd && !this.#isSkipping) records.push({ line, problem: "the line is longer than 1 MiB" });
        if (hasEnd && !this.#isSkipping) {
          const fields = cut(text, at, contentEnd(text, at, end, this.#dialect), delimiters);
          if (fields.length > 1 || fields[0]!.trim() !== "") records.push({ line, fields });
        }
        this.#isSkipping = !hasEnd;
        at = end + 1;
      } else {
        const found = readQuoted(text, at, this.#dialect, isLast);
        if (found === "unfinished" && !isLast && !isTooLong) break;
        if (typeof found === "string") {
          records.push({ line, problem: PROBLEMS[found] });
          this.#isSkipping = !hasEnd;
          at = end + 1;
        } else {
          records.push({ line, fields: found.fields });
          this.#line += found.innerLines;
          at = found.next;
        }
      }
      if (!this.#isSkipping) this.#line += 1;
    }
    this.#rest = text.slice(at);
    this.#enough = this.#rest.length < LONG ? 0 : Math.min(2 * this.#rest.length, MAX_ROW_LENGTH + 1);
    return records;
  }
}

const PROBLEMS = {
  unfinished: "a quote is opened here and never closed",
  broken:
    "there is text between a closing quote and the next delimiter; double the quotes inside a quoted field",
};

/** The next position of a character. Call it with increasing positions only: then the text is searched once. */
class Occurrences {
  readonly #text: string;
  readonly #character: string;
  #found = -1;

  constructor(text: string, character: string) {
    this.#text = text;
    this.#character = character;
  }

  /** The length of the text if there is none. */
  from(at: number): number {
    if (this.#found < at) {
      const found = this.#text.indexOf(this.#character, at);
      this.#found = found === -1 ? this.#text.length : found;
    }
    return this.#found;
  }
}

/** Before the carriage return of a CRLF. */
const contentEnd = (text: string, start: number, end: number, { lineEnd }: CsvDialect): number =>
  lineEnd === "\n" && end > start && text[end - 1] === "\r" ? end - 1 : end;

const cut = (text: string, start: number, end: number, delimiters: Occurrences): string[] => {
  const fields: string[] = [];
  let at = start;
  for (let next = delimiters.from(at); next < end; next = delimiters.from(at)) {
    fields.push(text.slice(at, next));
    at = next + 1;
  }
  fields.push(text.slice(at, end));
  return fields;
};

const readQuoted = (text: string, start: number, dialect: CsvDialect, isLast: boolean) => {
  const { delimiter, lineEnd } = dialect;
  const fields: string[] = [];
  let innerLines = 0;
  let at = start;
  for (;;) {
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1);
      if (close === -1) return "unfinished";
      const value = text.slice(at + 1, close).replaceAll('""', '"');
      if (value.includes(lineEnd)) innerLines += value.split(lineEnd).length - 1;
      fields.push(value);
      at = close + 1;
      if (lineEnd === "\n" && text[at] === "\r" && (text[at + 1] ?? "\n") === "\n") at += 1;
    } else {
      const from = at;
      while (at < text.length && text[at] !== delimiter && text[at] !== lineEnd) at += 1;
      fields.push(text.slice(from, text[at] === delimiter ? at : contentEnd(text, from, at, dialect)));
    }
    // The next piece may start with a second quote, which closes nothing, or the rest of a CRLF.
    if (at >= text.length && !isLast) return "unfinished";
    if (at >= text.length || text[at] === lineEnd) return { fields, innerLines, next: at + 1 };
    if (text[at] !== delimiter) return "broken";
    at += 1;
  }
};

/** Of a field whose content begins at `from`; -1 if there is none. */
const closingQuote = (text: string, from: number): number => {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
};
