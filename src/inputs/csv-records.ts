import { MAX_ROW_LENGTH } from "./input-row.ts";

/** Characters: shorter records are looked at with every piece. */
const LONG = 64 * 1024;

export interface CsvDialect {
  readonly delimiter: string;
  /** `\n` stands for CRLF too. */
  readonly lineEnd: "\n" | "\r";
}

export type CsvRecord =
  | { readonly line: number; readonly fields: string[] }
  | { readonly line: number; readonly problem: string };

/**
 * CSV as in RFC 4180, and as it is found: blank lines skipped, a quote inside an unquoted field taken as it stands. After a
 * record that makes no sense, reading goes on at the next line of the file: a quote left open costs one row, not all
 * that follow it. Lines without a quote, nearly all of them in practice, are only cut at their delimiters.
 */
export class CsvRecords {
  readonly #dialect: CsvDialect;
  #rest = "";
  /** A long record that was not at its end is looked at again when twice as much of it is there: else each piece would cost all before it. */
  #enough = 0;
  /** Of the start of `#rest`. */
  #line: number;
  /** Inside a line that is too long, of which only the end is still of interest. */
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
  unfinished: "a quote is opened here and not closed",
  broken:
    "there is text between a closing quote and the next delimiter; quotes inside a quoted field are doubled",
};

/** Where a character comes next. To be asked with growing positions only: then the text is searched once in all. */
class Occurrences {
  readonly #text: string;
  readonly #character: string;
  #found = -1;

  constructor(text: string, character: string) {
    this.#text = text;
    this.#character = character;
  }

  /** The length of the text where there is none. */
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
    // What comes next may be a second quote, which closes nothing, or the rest of a CRLF.
    if (at >= text.length && !isLast) return "unfinished";
    if (at >= text.length || text[at] === lineEnd) return { fields, innerLines, next: at + 1 };
    if (text[at] !== delimiter) return "broken";
    at += 1;
  }
};

/** Of a field whose content begins at `from`; -1 where there is none. */
const closingQuote = (text: string, from: number): number => {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
};
