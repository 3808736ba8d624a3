/** A Monday, and the first of a January. */
const FIRST = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

const PARTS = {
  // How many letters a name may be cut to: Intl has `Sept` for Britain, sites there also write `Sep`; `Thurs` is nowhere in it.
  month: { days: Array.from({ length: 12 }, (_, at) => Date.UTC(2024, at, 1)), cuts: [3, 4] },
  weekday: { days: Array.from({ length: 7 }, (_, at) => FIRST + at * DAY_MS), cuts: [3, 4, 5] },
} as const;

export type Names = ReadonlyMap<string, number>;

const known = new Map<string, Names>();

/**
 * Names of a language, in lower case, to their number from 1 (January, Monday): long and short, as they stand alone and inside of a
 * date, cut to their first letters where only one begins so, without accents, and with a dot.
 */
export function calendarNames(locale: string, part: "month" | "weekday"): Names {
  const key = `${part} ${locale}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const { days, cuts } = PARTS[part];
  const names = new Map<string, number>();
  const add = (name: string, number: number): void => {
    for (const one of [name, name.normalize("NFD").replace(/\p{M}/gu, "")])
      if (one !== "" && !names.has(one)) names.set(one, number).set(`${one}.`, number);
  };
  const words = days.map((day) => wordsOf(locale, part, day));
  for (const [at, some] of words.entries()) for (const name of some) add(name, at + 1);
  for (const [at, some] of words.entries())
    for (const name of some)
      for (const length of cuts) {
        const cut = name.slice(0, length);
        const isOnly = words.every(
          (others, other) => other === at || !others.some((one) => one.startsWith(cut)),
        );
        if (cut.length === length && isOnly) add(cut, at + 1);
      }
  known.set(key, names);
  return names;
}

/** In lower case and without a dot. Thailand and Iran have calendars of their own, so ours is asked for by name. */
function wordsOf(locale: string, part: "month" | "weekday", day: number): readonly string[] {
  const words = new Set<string>();
  for (const width of ["long", "short"] as const) {
    for (const options of [{ [part]: width }, { [part]: width, day: "numeric" }] as const) {
      const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC", calendar: "gregory" });
      const word = format
        .formatToParts(day)
        .find(({ type }) => type === part)
        ?.value.toLowerCase();
      if (word === undefined || /\p{Nd}/u.test(word)) continue;
      words.add(word.replace(/\.$/, ""));
      // Brazil also says `terça`.
      words.add(word.replace(/-feira\.?$/, ""));
    }
  }
  return [...words];
}

/** A pattern's source for any of these names, the longest first. */
export const anyOf = (names: Names): string =>
  [...names.keys()]
    .toSorted((a, b) => b.length - a.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
    .join("|");
