import { InvalidArgumentError } from "commander";
import { isWithin, RANGES, rangeText, readDuration } from "../domain/number-range.ts";

const within = (text: string, problem: string, isRight: (value: number) => boolean): number => {
  const value = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (!isRight(value)) throw new InvalidArgumentError(problem);
  return value;
};

/** A number of the table of ranges. */
export const numberIn = (name: keyof typeof RANGES): ((text: string) => number) => {
  const range = RANGES[name];
  return (text) => within(text, `Expected ${rangeText(range)}.`, (value) => isWithin(range, value));
};

/** `none` takes a limit away. */
export const numberOrNone =
  (name: keyof typeof RANGES) =>
  (text: string): number | "none" =>
    text === "none" ? text : numberIn(name)(text);

/** A duration of the table of ranges, in milliseconds. */
export const durationIn =
  (name: keyof typeof RANGES) =>
  (text: string): number => {
    const ms = duration(text);
    if (!isWithin(RANGES[name], ms)) throw new InvalidArgumentError(`Expected ${rangeText(RANGES[name])}.`);
    return ms;
  };

export const wholeNumber = (text: string): number =>
  within(text, "Give a whole number from 1.", (value) => Number.isSafeInteger(value) && value >= 1);

export const processCount = (text: string): number =>
  within(
    text,
    "Give a whole number from 1 to 64.",
    (value) => Number.isInteger(value) && value >= 1 && value <= 64,
  );

/** 0 lets the system choose. */
export const portNumber = (text: string): number =>
  within(
    text,
    "Give a port from 0 to 65535.",
    (value) => Number.isInteger(value) && value >= 0 && value <= 65_535,
  );

/** Any names, as `a,b` or by giving the option again. */
export const listOf = (text: string, before: readonly string[] | undefined): readonly string[] => {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("A name is empty.");
  return [...(before ?? []), ...names];
};

/** As `readDuration`; 0 by itself. In milliseconds. */
export const duration = (text: string): number => {
  const ms = text === "0" ? 0 : readDuration(text);
  if (ms === undefined)
    throw new InvalidArgumentError("Expected a duration, for example 90s, 15m, 12h, 7d or 1y.");
  return ms;
};

/** A moment (`2026-11-01T08:30Z`), or a while from now. Milliseconds since 1970. */
export const momentFrom =
  (now: () => number) =>
  (text: string): number => {
    const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : NaN;
    if (Number.isNaN(at)) return now() + durationIn("deadlineMs")(text);
    if (at - now() > RANGES.deadlineMs.max)
      throw new InvalidArgumentError("Expected a time at most a hundred years from now.");
    return at;
  };

/** `name=value`, once for each. */
export const labelValue = (
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> => {
  const [, name, value] = /^([^=]{1,100})=(.{1,100})$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("Give a label as name=value.");
  return { ...before, [name]: value };
};

/** Names from a closed list, as `a,b` or by giving the option again. */
export const namesOf =
  <Name extends string>(allowed: readonly Name[]) =>
  (text: string, before: readonly Name[] | undefined): readonly Name[] => {
    const isName = (name: string): name is Name => (allowed as readonly string[]).includes(name);
    const names = text.split(",").map((name) => name.trim());
    const wrong = names.find((name) => !isName(name));
    if (wrong !== undefined)
      throw new InvalidArgumentError(
        `${wrong === "" ? "A name is empty" : `There is no ${wrong}`}. Choose from ${allowed.join(", ")}.`,
      );
    return [...(before ?? []), ...names.filter(isName)];
  };
