import { InvalidArgumentError } from "commander";
import { isWithin, RANGES, rangeText, readDuration } from "../domain/number-range.ts";

type RangeName = keyof typeof RANGES;

const numberWhere = (text: string, expected: string, isRight: (value: number) => boolean): number => {
  const value = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (!isRight(value)) throw new InvalidArgumentError(`Expected ${expected}.`);
  return value;
};

/** A number within the named range. */
export const numberIn =
  (name: RangeName) =>
  (text: string): number =>
    numberWhere(text, rangeText(RANGES[name]), (value) => isWithin(RANGES[name], value));

/** The same; `none` removes a limit. */
export const numberOrNone =
  (name: RangeName) =>
  (text: string): number | "none" =>
    text === "none" ? text : numberIn(name)(text);

const isWholeIn = (min: number, max: number) => (value: number) =>
  Number.isSafeInteger(value) && value >= min && value <= max;

export const wholeNumber = (text: string): number =>
  numberWhere(text, "a whole number, 1 or more", isWholeIn(1, Infinity));

/** `NAME`, or `NAME@VERSION`. */
export const inputSet = (text: string): { readonly set: string; readonly version?: number } => {
  const [set = "", version, ...rest] = text.split("@");
  if (set === "" || rest.length > 0)
    throw new InvalidArgumentError("Expected the name of an input set, for example parcels or parcels@3.");
  return { set, ...(version !== undefined && { version: wholeNumber(version) }) };
};

export const processCount = (text: string): number =>
  numberWhere(text, "a whole number from 1 to 64", isWholeIn(1, 64));

export const leastProcesses = (text: string): number =>
  numberWhere(text, "a whole number from 0 to 64", isWholeIn(0, 64));

/** `2`, or `0-8` for as many as are useful. */
export const processRange = (text: string): Readonly<Record<"min" | "max", number>> => {
  const [, low, high = low] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  const [min, max] = [Number(low), Number(high)];
  if (isWholeIn(0, 64)(min) && isWholeIn(1, 64)(max) && min <= max) return { min, max };
  throw new InvalidArgumentError("Expected a whole number from 1 to 64, or a range, for example 0-8.");
};

/** With port 0 the system chooses a free one. */
export const portNumber = (text: string): number =>
  numberWhere(text, "a port from 0 to 65535", isWholeIn(0, 65_535));

/** In milliseconds. */
export const duration = (text: string): number => {
  const ms = text === "0" ? 0 : readDuration(text);
  if (ms === undefined)
    throw new InvalidArgumentError("Expected a duration, for example 90s, 15m, 12h, 7d or 1y.");
  return ms;
};

/** A duration within the named range, in milliseconds. */
export const durationIn =
  (name: RangeName) =>
  (text: string): number => {
    const ms = duration(text);
    if (!isWithin(RANGES[name], ms)) throw new InvalidArgumentError(`Expected ${rangeText(RANGES[name])}.`);
    return ms;
  };

/** A time (`2026-11-01T08:30Z`), or a duration from now. Milliseconds since 1970. */
export const momentFrom =
  (now: () => number) =>
  (text: string): number => {
    const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : NaN;
    if (Number.isNaN(at)) return now() + durationIn("deadlineMs")(text);
    if (at - now() > RANGES.deadlineMs.max)
      throw new InvalidArgumentError("Expected a time at most a hundred years from now.");
    return at;
  };

const AGO_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** A day (`2026-11-01`, from midnight local time), a time (`2026-11-01T08:30Z`), or a duration ago: `12h`, `7d`, `2w`. */
export const sinceWhen =
  (now: () => number) =>
  (text: string): number => {
    const ago = /^(\d{1,5})([hdw])$/.exec(text);
    if (ago) return now() - Number(ago[1]) * AGO_MS[ago[2]!]!;
    const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
    const at = isDay ? Date.parse(`${text}T00:00`) : /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : NaN;
    if (!Number.isNaN(at)) return at;
    throw new InvalidArgumentError(
      "Expected a date, for example 2026-11-01, or an age, for example 12h, 7d or 2w.",
    );
  };

/** Names as `a,b`, or by repeating the option. */
export const listOf = (text: string, before: readonly string[] | undefined): readonly string[] => {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("Expected names separated by commas.");
  return [...(before ?? []), ...names];
};

/** The same, from a closed list. */
export const namesOf =
  <Name extends string>(allowed: readonly Name[]) =>
  (text: string, before: readonly Name[] | undefined): readonly Name[] => {
    const isName = (name: string): name is Name => (allowed as readonly string[]).includes(name);
    const names = listOf(text, undefined);
    const wrong = names.find((name) => !isName(name));
    if (wrong !== undefined)
      throw new InvalidArgumentError(`"${wrong}" is not one of ${allowed.join(", ")}.`);
    return [...(before ?? []), ...names.filter(isName)];
  };

/** `name=value`, repeated for each label. */
export const labelValue = (
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> => {
  const [, name, value] = /^([^=]{1,100})=(.{1,100})$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError("Expected name=value.");
  return { ...before, [name]: value };
};

/** `--fill NAME=VALUE`, repeated for each field. Numbers, true and false keep their type; everything else is text. */
export const fillValue = (
  text: string,
  before: ReadonlyMap<string, unknown> | undefined,
): ReadonlyMap<string, unknown> => {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("Expected a field and its value, for example tax=0.");
  return new Map([...(before ?? []), [text.slice(0, at), plainValue(text.slice(at + 1))]]);
};

const plainValue = (text: string): unknown => {
  if (text === "true" || text === "false") return text === "true";
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? Number(text) : text;
};

type Input = Readonly<Record<string, unknown>>;

const PAIR = /^([A-Za-z_][\w.-]*)=([^]*)$/;

/** One item: `{"parcel":"1"}`, `parcel=1` (repeated for each property), or a URL, which means `{"url":"…"}`. */
export const inputValue = (text: string, before: Input = {}): Input => {
  const trimmed = text.trim();
  if (trimmed.startsWith("{")) return joined(before, parseObject(trimmed));
  if (/^https?:\/\//i.test(trimmed)) return joined(before, { url: trimmed });
  const pair = PAIR.exec(text);
  if (pair) return joined(before, { [pair[1]!]: pair[2]! });
  throw new InvalidArgumentError(
    'Expected JSON, for example \'{"parcel":"1"}\', a pair such as parcel=1, or a URL.',
  );
};

/** The same, where each use of the option is another item. */
export const inputValues = (text: string, before: readonly Input[] = []): readonly Input[] => [
  ...before,
  inputValue(text),
];

const joined = (before: Input, more: Input): Input => {
  const twice = Object.keys(more).find((name) => Object.hasOwn(before, name));
  if (twice !== undefined)
    throw new InvalidArgumentError(`${twice} is given twice. Give each property of the item once.`);
  return { ...before, ...more };
};

const parseObject = (text: string): Input => {
  try {
    return JSON.parse(text) as Input;
  } catch (error) {
    throw new InvalidArgumentError(`Invalid JSON: ${(error as Error).message}.`);
  }
};
