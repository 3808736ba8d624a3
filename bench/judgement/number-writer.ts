import type { Locale } from "./locale.ts";
import type { Random } from "./random.ts";
import type { Writer } from "./writer.ts";

export interface NumberMarks {
  readonly decimal: string;
  readonly group: string;
  /** 12,34,567 */
  readonly isIndian: boolean;
}

/** How one site writes numbers. */
export const numberMarks = ({ decimal, groups, country }: Locale, random: Random): NumberMarks => ({
  decimal,
  group: random.pick(groups),
  isIndian: country === "IN",
});

/** As programs write numbers for programs. */
export const PLAIN_MARKS: NumberMarks = { decimal: ".", group: "", isIndian: false };

/** `units` of 10 ** -places, without a sign. */
export const writeUnits = (
  units: number,
  places: number,
  { decimal, group, isIndian }: NumberMarks,
): string => {
  const digits = String(units).padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  const grouped = whole.replace(isIndian ? /\B(?=(?:\d\d)*\d{3}$)/g : /\B(?=(?:\d{3})+$)/g, group);
  return places === 0 ? grouped : `${grouped}${decimal}${digits.slice(-places)}`;
};

/** Numbers that have two decimal marks, a letter for a digit, or are two numbers. */
export const spoiltNumber = (random: Random, { decimal }: NumberMarks): string => {
  const number = String(random.between(1, 9999));
  const tenths = random.between(10, 99);
  return random.pick([
    `${number}${decimal}${tenths}${decimal}${random.between(10, 99)}`,
    `${number}${decimal}${decimal}${tenths}`,
    `${random.between(2, 9)}O${random.between(1, 9)}`,
    `${random.between(1, 9)}l${random.between(10, 99)}`,
    `${random.between(10, 49)} - ${random.between(50, 99)}`,
    `${random.between(100, 499)}–${random.between(500, 999)}`,
    `${random.between(1, 9)}x${random.between(10, 99)}`,
    "#VALUE!",
    "#REF!",
    "[object Object]",
    "{{ value }}",
    "ERROR",
  ]);
};

export const yearWriter = (notes: readonly string[]): Writer => ({
  write: (random) => {
    const year = random.between(1780, 2025);
    return { text: String(year), value: year };
  },
  spoil: (random) =>
    random.pick([
      String(random.between(10, 99)),
      `${random.between(1780, 2025)}${random.between(0, 9)}`,
      `${random.between(18, 20)}O${random.between(1, 9)}`,
      `19${random.between(1, 9)}?`,
      `${random.between(1900, 1950)}-${random.between(1951, 2020)}`,
      `${random.between(1900, 1950)}/${random.between(1951, 2020)}`,
      random.pick(notes),
    ]),
});

/** A measure; `unit` "" writes the bare number. */
export const areaWriter = (
  marks: NumberMarks,
  unit: string,
  notes: readonly string[],
  random: Random,
): Writer => {
  const places = random.pick([0, 0, 1, 2, 3]);
  const space = unit === "" ? "" : random.pick([" ", " ", "\u00a0"]);
  return {
    write: (drawn) => {
      const units = drawn.chance(0.05) ? 0 : drawn.between(1, 10 ** drawn.between(1, 5 + places));
      const text = writeUnits(units, places, marks);
      const short = marks.decimal === "." && text.startsWith("0.") && unit !== "" ? text.slice(1) : text;
      return { text: `${short}${space}${unit}`, value: units / 10 ** places };
    },
    spoil: (drawn) =>
      drawn.chance(0.3) ? drawn.pick(notes) : `${spoiltNumber(drawn, marks)}${space}${unit}`,
  };
};

export const percentWriter = (
  marks: NumberMarks,
  words: readonly string[],
  notes: readonly string[],
  random: Random,
): Writer => {
  const places = random.pick([0, 1, 2, 2, 3, 4]);
  const sign = random.pick([
    "%",
    "%",
    "%",
    " %",
    "\u00a0%",
    "\u202f%",
    "",
    ...words.map((word) => ` ${word}`),
  ]);
  return {
    write: (drawn) => {
      const units = drawn.chance(0.05) ? 0 : drawn.between(1, 100 * 10 ** places);
      const text = writeUnits(units, places, marks);
      return { text: `${text}${sign}`, value: units / 10 ** places };
    },
    spoil: (drawn) =>
      drawn.pick([
        () => drawn.pick(notes),
        () => `${spoiltNumber(drawn, marks)}${sign}`,
        () => `${drawn.between(101, 999)}${sign}`,
        () => `-${drawn.between(1, 99)}${sign}`,
        () => `${drawn.between(1, 4)}-${drawn.between(5, 9)}%`,
        () => `${drawn.between(2, 30)} mills`,
        () => `$${drawn.between(1, 3)}.${drawn.between(10, 99)} per $100`,
        () => `${drawn.between(1, 9)}%${drawn.between(1, 9)}`,
      ])(),
  };
};
