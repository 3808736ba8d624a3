import { InvalidArgumentError } from "commander";
import { readInputs } from "../inputs/read-inputs.ts";
import { UsageError } from "./usage-error.ts";

/** The item that a person means: JSON, `name=value` pairs, a URL, or a row of a file. */
export interface ItemOptions {
  readonly input?: Readonly<Record<string, unknown>>;
  readonly from?: string;
  readonly line?: number;
}

type Input = Readonly<Record<string, unknown>>;

const PAIR = /^([A-Za-z_][\w.-]*)=([^]*)$/;

/** `{"parcel":"1"}`, `parcel=1` (once for each property), or a URL, which is `{"url":"…"}`. */
export const inputValue = (text: string, before: Input = {}): Input => {
  const trimmed = text.trim();
  if (trimmed.startsWith("{")) return joined(before, parseObject(trimmed));
  if (/^https?:\/\//i.test(trimmed)) return joined(before, { url: trimmed });
  const pair = PAIR.exec(text);
  if (pair) return joined(before, { [pair[1]!]: pair[2]! });
  throw new InvalidArgumentError('Give JSON such as \'{"parcel":"1"}\', a pair such as parcel=1, or a URL.');
};

const joined = (before: Input, more: Input): Input => {
  const twice = Object.keys(more).find((name) => Object.hasOwn(before, name));
  if (twice !== undefined)
    throw new InvalidArgumentError(`${twice} is given twice. One item is tried; give each property once.`);
  return { ...before, ...more };
};

const parseObject = (text: string): Input => {
  try {
    return JSON.parse(text) as Input;
  } catch (error) {
    throw new InvalidArgumentError(`It is not JSON: ${(error as Error).message}.`);
  }
};

/** Throws `UsageError` where the item is not told, or told twice. */
export const chosenInput = async ({ input, from, line }: ItemOptions): Promise<Input> => {
  if (input !== undefined && from !== undefined)
    throw new UsageError("--input and --from both name an item. Give one of them.");
  if (input !== undefined) return input;
  if (from === undefined)
    throw new UsageError(
      "no item given. Give it with --input name=value (or JSON, or a URL), or with --from FILE --line N.",
    );
  for await (const rows of readInputs(from))
    for (const row of rows) {
      if (line !== undefined && row.line < line) continue;
      if (line !== undefined && row.line > line) throw noSuchLine(from, line);
      if ("problem" in row)
        throw new UsageError(`${from}:${row.line}: ${row.problem}. Choose another --line.`);
      return row.value;
    }
  throw noSuchLine(from, line ?? 1);
};

const noSuchLine = (from: string, line: number): UsageError =>
  new UsageError(
    `${from}: no input begins on line ${line}. Lines are counted from 1, the header line included.`,
  );

/** Pairs are texts; a schema may want numbers. Both are tried, in this order. */
export const readings = (input: Input): readonly Input[] => {
  const read = Object.fromEntries(Object.entries(input).map(([name, value]) => [name, asJson(value)]));
  return [input, read];
};

const asJson = (value: unknown): unknown => {
  if (typeof value !== "string" || !/^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false|null)$/.test(value))
    return value;
  return JSON.parse(value);
};
