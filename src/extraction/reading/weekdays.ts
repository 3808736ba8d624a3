import { anyOf, calendarNames } from "./calendar-names.ts";

/** A date without its weekday, and which day of the week that was, from 1 for Monday. */
interface WithoutWeekday {
  readonly text: string;
  readonly weekday: number | undefined;
}

const byLocale = new Map<string, (text: string) => WithoutWeekday>();

/** Makes a function that takes a weekday of the language off a date, before or behind it: `Tue, 5 March`, `5 March (Tuesday)`. */
export function weekdayRemover(locale: string): (text: string) => WithoutWeekday {
  const known = byLocale.get(locale);
  if (known !== undefined) return known;
  const names = calendarNames(locale, "weekday");
  const name = `(?<name>${anyOf(names)})`;
  // Swedish `den` and the like belong to the weekday: `tisdag den 5 mars`, `le mardi`, `dnia`.
  const before = new RegExp(`^${name}[,،、]?\\s+(?:den |the |le |il |el |dnia )?(?=[\\p{L}\\d])`, "iu");
  const after = new RegExp(`(?:[,،、]\\s*${name}|\\s+${name}|\\s*\\(${name}\\))$`, "iu");
  const remove = (text: string): WithoutWeekday => {
    const found = before.exec(text) ?? after.exec(text);
    if (found === null) return { text, weekday: undefined };
    const { 0: taken, index, groups } = found;
    return {
      text: index === 0 ? text.slice(taken.length) : text.slice(0, index),
      weekday: names.get((groups?.["name"] ?? "").toLowerCase()),
    };
  };
  byLocale.set(locale, remove);
  return remove;
}
