import { localeWords } from "./locale-words.ts";

const byLocale = new Map<string, ReadonlyMap<string, number>>();

/** How many letters a month may be cut to: Intl has `Sept` for Britain, sites there also write `Sep`. */
const CUTS = [3, 4];

/**
 * Month names of a language, in lower case, to their number: long and short, as they stand alone and inside of a date, cut to their
 * first letters where only one month begins so, and without accents.
 */
export function monthsOf(locale: string): ReadonlyMap<string, number> {
  const known = byLocale.get(locale);
  if (known !== undefined) return known;
  const months = new Map<string, number>();
  const add = (name: string, month: number): void => {
    for (const one of [name, name.normalize("NFD").replace(/\p{M}/gu, "")])
      if (!months.has(one)) months.set(one, month).set(`${one}.`, month);
  };
  const names = Array.from({ length: 12 }, (_, at) => localeWords(locale, "month", Date.UTC(2024, at, 1)));
  for (const [at, some] of names.entries()) for (const name of some) add(name, at + 1);
  for (const [at, some] of names.entries())
    for (const name of some)
      for (const length of CUTS) {
        const cut = name.slice(0, length);
        const isOnly = names.every(
          (others, other) => other === at || !others.some((one) => one.startsWith(cut)),
        );
        if (cut.length === length && isOnly) add(cut, at + 1);
      }
  byLocale.set(locale, months);
  return months;
}
