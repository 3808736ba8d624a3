import { InvalidArgumentError } from "commander";

const within = (text: string, problem: string, isRight: (value: number) => boolean): number => {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (!isRight(value)) throw new InvalidArgumentError(problem);
  return value;
};

export const wholeNumber = (text: string): number =>
  within(text, "Give a whole number from 1.", (value) => Number.isSafeInteger(value) && value >= 1);

export const processCount = (text: string): number =>
  within(
    text,
    "Give a whole number from 1 to 64.",
    (value) => Number.isInteger(value) && value >= 1 && value <= 64,
  );

/** Fractions too: one request in two seconds is a rate. */
export const positiveNumber = (text: string): number =>
  within(text, "Give a number above 0, such as 5 or 0.5.", (value) => value > 0 && Number.isFinite(value));

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
