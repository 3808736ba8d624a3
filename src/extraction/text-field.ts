import { defineField, type Field, type FieldKind } from "./define-field.ts";
import {
  CURRENCY_OPTIONS,
  type CurrencyOptions,
  LIST_OPTIONS,
  type ListOptions,
  MONEY_OPTIONS,
  type MoneyOptions,
  type NumberOptions,
  TEXT_OPTIONS,
  type TextOptions,
} from "./field-options.ts";
import type { Where } from "./place.ts";
import { type PlaceholderOptions, placeholders } from "./reading/placeholders.ts";
import { amountInText, type MoneyStyle, readCurrency, readMoney } from "./reading/read-money.ts";
import { decimalOf, type NumberStyle } from "./reading/read-number.ts";
import { between, quoted, type Reading } from "./reading/reading.ts";
import type { Taken } from "./scan/page-query.ts";

export function textField<T extends string>(
  kind: FieldKind,
  where: Where,
  take: Taken,
  options: TextOptions<T>,
): Field<T> {
  return defineField<T>({
    kind,
    known: TEXT_OPTIONS,
    where,
    taking: { takes: [take], isMany: false, jsonAs: "text" },
    options,
    expects: `a text${choices(options.oneOf)}`,
    isPlaceholder: placeholders("words", withChoices(options)),
    readTexts: ([text = ""]) => among(options.oneOf, text),
  });
}

export function listField<T extends string>(where: Where, options: ListOptions<T>): Field<readonly T[]> {
  const { check, ...rest } = options;
  return defineField<readonly T[]>({
    kind: "list",
    known: LIST_OPTIONS,
    where,
    taking: { takes: ["text"], isMany: true, jsonAs: "text" },
    options: check === undefined ? rest : { ...rest, check },
    expects: `a list of texts${choices(options.oneOf)}`,
    isPlaceholder: placeholders("words", withChoices(options)),
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
}

const choices = (oneOf: readonly string[] | undefined): string =>
  oneOf === undefined ? "" : `, one of ${oneOf.join(", ")}`;

/** A choice that the author lists is a value, even "None". */
const withChoices = ({
  oneOf = [],
  answers = [],
  ...options
}: PlaceholderOptions & { readonly oneOf?: readonly string[] }): PlaceholderOptions => ({
  ...options,
  answers: [...answers, ...oneOf],
});

function among<T extends string>(oneOf: readonly T[] | undefined, text: string): Reading<T> {
  // Without `oneOf`, T is any string.
  const isOne = (some: string): some is T => oneOf === undefined || oneOf.some((known) => known === some);
  return isOne(text)
    ? { value: text }
    : { problem: `${quoted(text)} is not one of ${(oneOf ?? []).join(", ")}` };
}

export function numberField(
  kind: FieldKind,
  where: Where,
  options: NumberOptions,
  known: Readonly<Record<string, true>>,
  expects: string,
  read: (text: string, style: NumberStyle) => Reading<number>,
): Field<number> {
  const style = numberStyle(options);
  return defineField<number>({
    kind,
    known,
    where,
    taking: { takes: ["text"], isMany: false, jsonAs: "text" },
    options,
    expects,
    isPlaceholder: placeholders("value", options),
    readTexts: ([text = ""]) => between(options, read(text, style)),
    readJson: (json) => {
      if (json === Infinity || json === -Infinity) return { problem: "the number is too large" };
      if (typeof json === "number") return between(options, { value: json });
      // JSON's own notation for a number in a text, whatever the site's locale.
      const isPlain = typeof json === "string" && /^-?\d+(?:\.\d{1,2})?$/.test(json);
      return isPlain ? between(options, read(json, { decimal: "." })) : undefined;
    },
  });
}

const numberStyle = ({ decimal, locale }: Pick<NumberOptions, "decimal" | "locale">): NumberStyle => {
  const given: string | undefined = decimal;
  if (given !== undefined && given !== "." && given !== ",")
    throw new TypeError('expected "." or "," as `decimal`');
  const mark = decimal ?? (locale === undefined ? undefined : decimalOf(locale));
  return mark === undefined ? {} : { decimal: mark };
};

/** Throws `TypeError` for an unknown currency. */
function moneyStyle(options: Pick<MoneyOptions, "decimal" | "locale" | "currency">): MoneyStyle {
  const { locale, currency } = options;
  if (currency !== undefined && !Intl.supportedValuesOf("currency").includes(currency))
    throw new TypeError(`unknown currency "${currency}": expected an ISO 4217 code, for example USD`);
  return {
    ...numberStyle(options),
    ...(locale !== undefined && { locale }),
    ...(currency !== undefined && { currency }),
  };
}

export function moneyField(where: Where, options: MoneyOptions): Field<number> {
  const money = moneyStyle(options);
  return numberField(
    "money",
    where,
    options,
    MONEY_OPTIONS,
    "an amount of money, such as $1,234.56",
    (text, style) => {
      if (options.inText !== true) return readMoney(text, { ...money, ...style });
      const reading = amountInText(text, { ...money, ...style });
      return "value" in reading ? { value: reading.value.amount } : reading;
    },
  );
}

export function currencyField(where: Where, options: CurrencyOptions): Field<string> {
  const style = moneyStyle(options);
  return defineField<string>({
    kind: "currency",
    known: CURRENCY_OPTIONS,
    where,
    taking: { takes: ["text"], isMany: false, jsonAs: "text" },
    options,
    expects: "a currency, such as USD, or an amount with one",
    isPlaceholder: placeholders("value", options),
    readTexts: ([text = ""]) => readCurrency(text, style, options.inText),
  });
}
