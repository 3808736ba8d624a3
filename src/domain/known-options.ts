/** The names of all options of a type, written beside it: a missing or extra name does not compile. */
export type OptionNames<Options> = { readonly [Name in keyof Options]-?: true };

/**
 * What is wrong with the names of the given options; undefined if nothing is. Otherwise a misspelled option would be ignored. `what` takes the
 * options, for example `field.money`.
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

/** The names that may have been meant by this one, the most similar first. */
export const similarNames = (meant: string, names: Iterable<string>, most = 3): string[] =>
  [...new Set(names)]
    .filter((name) => name !== meant && name !== "")
    .map((name) => ({ name, likeness: likeness(meant, name) }))
    .filter((each) => each.likeness >= 0.5)
    .sort((a, b) => b.likeness - a.likeness || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);

const SHORTEST_PART = 4;

/** From 0 to 1. The same but for case and marks is as good as the same. */
const likeness = (a: string, b: string): number => {
  const [one, other] = [bare(a), bare(b)];
  if (one === "" || other === "") return 0;
  if (one === other) return 1;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const byLetters = 1 - distance(short, long) / long.length;
  // `market` is likely meant by `lblMarketValue`.
  const byPart =
    short.length >= SHORTEST_PART && long.includes(short) ? 0.6 + 0.3 * (short.length / long.length) : 0;
  return Math.max(byLetters, byPart);
};

const bare = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, "")
    .slice(0, 100);

/** Levenshtein's, one row at a time. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: a.length + 1 }, (_, at) => at);
  for (let i = 1; i <= b.length; i++) {
    const next = [i];
    for (let j = 1; j <= a.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[j - 1] === b[i - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[a.length] ?? 0;
};
