import { similarNames } from "./similar-names.ts";

/** The names of all options of a type. It stands beside the type: one that is missing or too many does not compile. */
export type OptionNames<Options> = { readonly [Name in keyof Options]-?: true };

/**
 * What is wrong with the names of the options that somebody wrote; undefined where nothing is. A misspelled option would else be ignored. `what` takes
 * them: `field.money`.
 */
export const unknownOption = (
  given: unknown,
  known: Readonly<Record<string, true>>,
  what: string,
): string | undefined => {
  if (given === undefined) return undefined;
  const names = Object.keys(known);
  const taken = names.length === 0 ? "It takes none" : `It takes: ${names.join(", ")}`;
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return `${what} takes its options as an object. ${taken}.`;
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return undefined;
  const [similar] = similarNames(unknown, names, 1);
  const meant = similar === undefined ? "" : ` Did you mean \`${similar}\`?`;
  return `${what} has no option \`${unknown}\`.${meant} ${taken}.`;
};

/** Throws a `TypeError`, where options are given to a function. */
export const refuseUnknownOptions = (
  given: unknown,
  known: Readonly<Record<string, true>>,
  what: string,
): void => {
  const problem = unknownOption(given, known, what);
  if (problem !== undefined) throw new TypeError(problem);
};
