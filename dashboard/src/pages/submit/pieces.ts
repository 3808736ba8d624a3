/** Inputs as they are sent: large files in pieces of whole rows, so that neither side holds them in memory. */
export type Format = "csv" | "ndjson";

export const PIECE_BYTES = 4 * 1024 * 1024;

/** By what it begins with: JSON lines begin with a brace. */
export const formatOf = (beginning: string): Format => (/^\uFEFF?\s*\{/.test(beginning) ? "ndjson" : "csv");

/** Where the last whole row of the text ends; a line break within quotes ends no row of a CSV file. */
export const lastRowEnd = (text: string, format: Format): number => {
  if (format === "ndjson") return text.lastIndexOf("\n") + 1;
  let isQuoted = false;
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 34) isQuoted = !isQuoted;
    else if (char === 10 && !isQuoted) end = at + 1;
  }
  return end;
};

const firstRowEnd = (text: string): number => {
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 34) isQuoted = !isQuoted;
    else if (char === 10 && !isQuoted) return at + 1;
  }
  return text.length;
};

export interface Piece {
  readonly text: string;
  readonly isLast: boolean;
}

/** Every piece of a CSV file begins with the header of the first. */
export async function* piecesOf(file: Blob, format: Format, most = PIECE_BYTES): AsyncGenerator<Piece> {
  // The byte order mark must stay: places are counted in bytes.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  let header = "";
  for (let at = 0; at === 0 || at < file.size;) {
    const text = decoder.decode(await file.slice(at, at + most).arrayBuffer());
    const isLast = at + most >= file.size;
    const whole = isLast ? text : text.slice(0, lastRowEnd(text, format) || text.length);
    yield { text: header + whole, isLast };
    if (at === 0 && format === "csv") header = whole.slice(0, firstRowEnd(whole));
    if (isLast) return;
    at += encoder.encode(whole).length;
  }
}
