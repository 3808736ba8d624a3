import { defineField } from "./define-field.ts";
import type { Field, FieldKind } from "./define-field.ts";
import {
  CURRENCY_OPTIONS,
  type CurrencyOptions,
  MONEY_OPTIONS,
  type MoneyOptions,
  type NumberOptions,
} from "./field-options.ts";
import { amountInText } from "./reading/amount-in-text.ts";
import { between } from "./reading/between.ts";
import { decimalOf } from "./reading/number-locale.ts";
import type { Where } from "./place.ts";
import { placeholders } from "./reading/placeholders.ts";
import { readCurrency } from "./reading/read-currency.ts";
import { readMoney } from "./reading/read-money.ts";
import type { MoneyStyle } from "./reading/read-money.ts";
import type { NumberStyle } from "./reading/read-number.ts";
import type { Reading } from "./reading/reading.ts";

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
      if (json === Infinity || json === -Infinity) return { problem: "the number is too great" };
      if (typeof json === "number") return between(options, { value: json });
      // JSON's own way to write a number in a text, whatever the site's way is.
      const isPlain = typeof json === "string" && /^-?\d+(?:\.\d{1,2})?$/.test(json);
      return isPlain ? between(options, read(json, { decimal: "." })) : undefined;
    },
  });
}

const numberStyle = ({ decimal, locale }: Pick<NumberOptions, "decimal" | "locale">): NumberStyle => {
  const given: string | undefined = decimal;
  if (given !== undefined && given !== "." && given !== ",") throw new TypeError('`decimal` is "." or ","');
  const mark = decimal ?? (locale === undefined ? undefined : decimalOf(locale));
  return mark === undefined ? {} : { decimal: mark };
};

/** Throws `TypeError` on a currency that does not exist. */
function moneyStyle(options: Pick<MoneyOptions, "decimal" | "locale" | "currency">): MoneyStyle {
  const { locale, currency } = options;
  if (currency !== undefined && !Intl.supportedValuesOf("currency").includes(currency))
    throw new TypeError(`there is no currency "${currency}": write a code of ISO 4217, such as USD`);
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
