import type { Locale } from "./locale.ts";
import { type NumberMarks, spoiltNumber, writeUnits } from "./number-writer.ts";
import type { Random } from "./random.ts";
import type { Writer } from "./writer.ts";

const SPACES = [" ", " ", "\u00a0", "\u202f"] as const;

export const moneyWriter = (locale: Locale, marks: NumberMarks, random: Random): Writer => {
  const isWhole = random.chance(0.3);
  const form = random.pick(isWhole ? locale.wholeMoney : locale.money);
  const negative = random.pick(locale.negativeMoney);
  const space = random.pick(SPACES);
  const places = isWhole ? 0 : 2;
  const inForm = (pattern: string, amount: string): string =>
    pattern.replaceAll("~", space).replace("#", () => amount);
  return {
    write: (drawn) => {
      const units = drawn.chance(0.06) ? 0 : drawn.between(1, 10 ** drawn.between(2, 6 + places));
      const isNegative = units > 0 && drawn.chance(0.05);
      const text = inForm(isNegative ? negative : form, writeUnits(units, places, marks));
      return { text, value: ((isNegative ? -1 : 1) * units) / 10 ** places };
    },
    spoil: (drawn) =>
      drawn.pick([
        () => drawn.pick(locale.language.notes),
        () => inForm(form, spoiltNumber(drawn, marks)),
        () => twoAmounts(drawn, form, inForm, marks, " - "),
        () => twoAmounts(drawn, form, inForm, marks, " "),
        () => `${drawn.between(10, 99)} Elm St`,
        () => `${drawn.between(1, 99)}%`,
        () => `${drawn.between(10, 28)}/${drawn.between(10, 12)}/${drawn.between(2001, 2026)}`,
        () => `+1 (512) 555-01${drawn.between(10, 99)}`,
      ])(),
  };
};

const twoAmounts = (
  random: Random,
  form: string,
  inForm: (form: string, amount: string) => string,
  marks: NumberMarks,
  between: string,
): string => {
  const low = random.between(100_000, 900_000);
  return [low, low + random.between(1000, 90_000)]
    .map((units) => inForm(form, writeUnits(units, 2, marks)))
    .join(between);
};

/** As schema.org wants a price: "1234.5", or the bare number. */
export const plainMoneyWriter = (marks: NumberMarks, notes: readonly string[]): Writer => ({
  write: (drawn) => {
    const units = drawn.between(0, 10 ** drawn.between(2, 8));
    return { text: writeUnits(units, 2, marks), value: units / 100 };
  },
  spoil: (drawn) => (drawn.chance(0.3) ? drawn.pick(notes) : spoiltNumber(drawn, marks)),
});
