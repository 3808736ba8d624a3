import { defineField } from "./define-field.ts";
import type { Field, FieldOptions } from "./define-field.ts";
import { placeholders } from "./placeholders.ts";
import { quoted } from "./quoted.ts";
import { dateReader } from "./read-date.ts";
import { readMoney } from "./read-money.ts";
import { readNumber } from "./read-number.ts";
import type { NumberStyle } from "./read-number.ts";
import { readPercent } from "./read-percent.ts";
import { readUrl } from "./read-url.ts";
import type { Reading } from "./reading.ts";

export interface TextOptions<T extends string> extends FieldOptions<T> {
  readonly oneOf?: readonly T[];
}

export interface NumberOptions extends FieldOptions<number> {
  readonly min?: number;
  readonly max?: number;
  /** The site's decimal mark. Needed where `1.234` may mean 1234. */
  readonly decimal?: "." | ",";
}

export interface DateOptions extends FieldOptions<string> {
  /** Tried in order, for example `MM/DD/YYYY` or `D MMMM YYYY`. Without any, ISO dates are read. */
  readonly formats?: readonly string[];
  /** Whose month names are used; `en` by default. */
  readonly locale?: string;
  /** As `YYYY-MM-DD`. */
  readonly min?: string;
  readonly max?: string;
}

export interface ListOptions<T extends string> extends Omit<FieldOptions<string>, "check"> {
  readonly oneOf?: readonly T[];
  readonly check?: (values: readonly T[]) => true | string;
}

/** One CSS selector, or several of which the first that finds a value wins. */
export type Selectors = string | readonly string[];

/** How the fields of a record are described: where each stands on the page, and what it is. */
export const field = {
  /** Text with its white space folded. */
  text: <const T extends string = string>(selectors: Selectors, options: TextOptions<T> = {}): Field<T> =>
    defineField<T>({
      selectors,
      take: { what: "text" },
      options,
      isPlaceholder: placeholders("words", options.placeholders),
      readTexts: ([text = ""]) => among(options.oneOf, text),
    }),

  /** An attribute's text. An element without the attribute counts as not found. */
  attr: <const T extends string = string>(
    selectors: Selectors,
    name: string,
    options: TextOptions<T> = {},
  ): Field<T> =>
    defineField<T>({
      selectors,
      take: { what: "attribute", name: name.toLowerCase() },
      options,
      isPlaceholder: placeholders("words", options.placeholders),
      readTexts: ([text = ""]) => among(options.oneOf, text),
    }),

  number: (selectors: Selectors, options: NumberOptions = {}): Field<number> =>
    defineNumber(selectors, options, readNumber),

  /** An amount of money; its currency is dropped. */
  money: (selectors: Selectors, options: NumberOptions = {}): Field<number> =>
    defineNumber(selectors, options, readMoney),

  /** `1.25 %` is 1.25. */
  percent: (selectors: Selectors, options: NumberOptions = {}): Field<number> =>
    defineNumber(selectors, options, readPercent),

  /** A day, as `YYYY-MM-DD`. */
  date: (selectors: Selectors, options: DateOptions = {}): Field<string> => {
    const readDate = dateReader(options.formats, options.locale);
    return defineField<string>({
      selectors,
      take: { what: "text" },
      options,
      isPlaceholder: placeholders("value", options.placeholders),
      readTexts: ([text = ""]) => between(options, readDate(text)),
    });
  },

  /** Where a link leads, as an absolute URL. */
  url: (selectors: Selectors, options: FieldOptions<string> = {}): Field<string> =>
    defineField<string>({
      selectors,
      take: { what: "link" },
      options,
      isPlaceholder: placeholders("words", options.placeholders),
      readTexts: ([text = ""], baseUrl) => readUrl(text, baseUrl()),
    }),

  /** The texts of all matches; those that say nothing are left out. */
  list: <const T extends string = string>(
    selectors: Selectors,
    options: ListOptions<T> = {},
  ): Field<readonly T[]> => {
    const { check, ...rest } = options;
    return defineField<readonly T[]>({
      selectors,
      take: { what: "texts" },
      options: check === undefined ? rest : { ...rest, check },
      isPlaceholder: placeholders("words", options.placeholders),
      readTexts: (texts) => {
        const values: T[] = [];
        for (const text of texts) {
          const reading = among(options.oneOf, text);
          if (!("value" in reading)) return reading;
          values.push(reading.value);
        }
        return { value: values };
      },
    });
  },
};

/** The record that these fields give: a value may always be null, since a site may have none. */
export type RecordOf<Fields extends Readonly<Record<string, Field<unknown>>>> = {
  readonly [Name in keyof Fields]: (Fields[Name] extends Field<infer T> ? T : never) | null;
};

function defineNumber(
  selectors: Selectors,
  options: NumberOptions,
  read: (text: string, style: NumberStyle) => Reading<number>,
): Field<number> {
  const style: NumberStyle = options.decimal === undefined ? {} : { decimal: options.decimal };
  return defineField<number>({
    selectors,
    take: { what: "text" },
    options,
    isPlaceholder: placeholders("value", options.placeholders),
    readTexts: ([text = ""]) => between(options, read(text, style)),
  });
}

function between<T extends number | string>(
  { min, max }: { readonly min?: T; readonly max?: T },
  reading: Reading<T>,
): Reading<T> {
  if (!("value" in reading)) return reading;
  if (min !== undefined && reading.value < min) return { problem: `${reading.value} is below ${min}` };
  if (max !== undefined && reading.value > max) return { problem: `${reading.value} is above ${max}` };
  return reading;
}

function among<T extends string>(oneOf: readonly T[] | undefined, text: string): Reading<T> {
  // Without `oneOf`, T is any string.
  const isOne = (one: string): one is T => oneOf === undefined || oneOf.some((known) => known === one);
  return isOne(text)
    ? { value: text }
    : { problem: `${quoted(text)} is none of ${(oneOf ?? []).join(", ")}` };
}
