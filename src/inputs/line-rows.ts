import { type InputRow, MAX_ROW_LENGTH, type RowReader } from "./input-format.ts";

type Line = { readonly value: Record<string, unknown> } | { readonly problem: string } | undefined;

/** One row a line; `undefined` from `readLine` skips the line. */
class LineRows implements RowReader {
  readonly #readLine: (line: string) => Line;
  #rest = "";
  #line = 1;
  #isSkipping = false;

  constructor(readLine: (line: string) => Line) {
    this.#readLine = readLine;
  }

  push(text: string): InputRow[] {
    // Only what is new is looked through: a long line may come in many pieces.
    const lines = text.includes("\n") ? (this.#rest + text).split("\n") : [this.#rest + text];
    this.#rest = lines.pop()!;
    const rows = lines.flatMap((line) => this.#take(line));
    if (this.#rest.length > MAX_ROW_LENGTH) {
      if (!this.#isSkipping) rows.push({ line: this.#line, problem: "the line is longer than 1 MiB" });
      this.#isSkipping = true;
      this.#rest = "";
    }
    return rows;
  }

  end(): InputRow[] {
    return this.#take(this.#rest);
  }

  #take(text: string): InputRow[] {
    const line = this.#line;
    this.#line += 1;
    if (this.#isSkipping) {
      this.#isSkipping = false;
      return [];
    }
    const read = this.#readLine(text.trim());
    return read === undefined ? [] : [{ line, ...read }];
  }
}

/** One JSON object a line. */
export const ndjsonRows = (): RowReader => new LineRows((line) => (line === "" ? undefined : readJson(line)));

/** One URL a line; blank lines and those that begin with `#` are skipped. */
export const urlRows = (): RowReader =>
  new LineRows((line) => (line === "" || line.startsWith("#") ? undefined : { value: { url: line } }));

export const readJson = (text: string): Exclude<Line, undefined> => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { problem: `not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  return isObject(parsed)
    ? { value: parsed }
    : { problem: 'an input is a JSON object, such as {"parcel": "1"}' };
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
