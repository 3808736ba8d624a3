import { InputError, type InputRow, MAX_ROW_LENGTH, type RowReader } from "./input-format.ts";

type Line = { readonly value: Record<string, unknown> } | { readonly problem: string } | undefined;

/** One row per line; `undefined` from `readLine` skips the line. */
class LineRows implements RowReader {
  readonly #readLine: (line: string) => Line;
  #rest = "";
  #line = 1;
  #isSkipping = false;

  constructor(readLine: (line: string) => Line) {
    this.#readLine = readLine;
  }

  push(text: string): InputRow[] {
    // Only new text is searched: a long line may arrive in many pieces.
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

/** One JSON object per line. */
export const ndjsonRows = (): RowReader => new LineRows((line) => (line === "" ? undefined : readJson(line)));

/** One URL per line; blank lines and those that begin with `#` are skipped. */
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
    : { problem: 'expected a JSON object, for example {"parcel": "1"}' };
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The objects of one JSON array of any size: the text is split at the commas of the outermost level, found by counting
 * brackets outside of strings, and each part is parsed separately. `#depth` is 0 outside the array, 1 in it.
 */
export class JsonArrayRows implements RowReader {
  readonly #file: string;
  /** The current element, as far as it has been read. */
  #element = "";
  #elementLine = 1;
  #line = 1;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #state: "before" | "within" | "after" = "before";

  constructor(file: string) {
    this.#file = file;
  }

  push(text: string): InputRow[] {
    const rows: InputRow[] = [];
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at]!;
      if (character === "\n") this.#line += 1;
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (character === "\\") this.#isEscaped = true;
        else if (character === '"') this.#isInString = false;
      } else if (this.#state !== "within") {
        if (/\s/.test(character)) continue;
        if (this.#state === "after" || character !== "[") throw this.#notAnArray();
        this.#state = "within";
        this.#depth = 1;
        this.#elementLine = this.#line;
        from = at + 1;
      } else if (character === '"') {
        this.#isInString = true;
      } else if (character === "[" || character === "{") {
        this.#depth += 1;
      } else if (character === "]" || character === "}") {
        this.#depth -= 1;
        if (this.#depth > 0) continue;
        this.#state = "after";
        rows.push(...this.#take(text.slice(from, at)));
      } else if (character === "," && this.#depth === 1) {
        rows.push(...this.#take(text.slice(from, at)));
        from = at + 1;
      }
    }
    if (this.#state === "within") this.#element += text.slice(from);
    if (this.#element.length > MAX_ROW_LENGTH) {
      throw this.#bad(
        this.#elementLine,
        "an element of the array is longer than 1 MiB or has an unclosed bracket",
      );
    }
    return rows;
  }

  end(): InputRow[] {
    if (this.#state === "before") throw this.#notAnArray();
    return this.#state === "after"
      ? []
      : [{ line: this.#line, problem: "the closing ] of the array is missing" }];
  }

  #take(end: string): InputRow[] {
    const text = this.#element + end;
    const line = this.#elementLine + (/^\s*/.exec(text)![0].split("\n").length - 1);
    this.#element = "";
    this.#elementLine = this.#line;
    // An empty text between brackets is an empty array; before a comma it is a mistake.
    if (text.trim() === "" && this.#state === "after") return [];
    return [{ line, ...readJson(text) }];
  }

  #notAnArray(): InputError {
    return this.#bad(this.#line, "the text is not a single JSON array");
  }

  #bad(line: number, reason: string): InputError {
    const wayOut = "Write the inputs as [{…}, {…}], or one object per line with the format ndjson";
    return new InputError("bad-json", { file: this.#file, line }, reason, wayOut);
  }
}
