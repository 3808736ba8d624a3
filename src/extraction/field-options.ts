import type { OptionNames } from "../domain/known-options.ts";
import { FIELD_OPTIONS, type FieldOptions } from "./define-field.ts";
import type { DatePrecision } from "./reading/date-format.ts";
import type { PhoneStyle } from "./reading/read-phone.ts";

export interface TextOptions<T extends string> extends FieldOptions<T> {
  /** The only valid texts; any other is malformed. They are values even if they look like a placeholder. */
  readonly oneOf?: readonly T[];
}

export const TEXT_OPTIONS: OptionNames<TextOptions<string>> = { ...FIELD_OPTIONS, oneOf: true };

export interface NumberOptions extends FieldOptions<number> {
  /** A smaller number is malformed. */
  readonly min?: number;
  /** A larger number is malformed. */
  readonly max?: number;
  /** The site's decimal mark. Needed where `1.234` may mean 1234. */
  readonly decimal?: "." | ",";
  /** The site's locale, such as `de`: sets the decimal mark. */
  readonly locale?: string;
}

export const NUMBER_OPTIONS: OptionNames<NumberOptions> = {
  ...FIELD_OPTIONS,
  min: true,
  max: true,
  decimal: true,
  locale: true,
};

export interface PlainNumberOptions extends NumberOptions {
  /** Units after the number, which are dropped: `acres`, `sq ft`. */
  readonly unit?: string | readonly string[];
}

export const PLAIN_NUMBER_OPTIONS: OptionNames<PlainNumberOptions> = { ...NUMBER_OPTIONS, unit: true };

/** How the site writes its amounts. */
interface MoneyWriting {
  /** The site's decimal mark. Needed where `1.234` may mean 1234. */
  readonly decimal?: "." | ",";
  /** The site's locale, such as `de-CH`: sets the decimal mark, and its country decides what `$`, `kr` or `¥` means. */
  readonly locale?: string;
  /** The currency of all amounts, an ISO 4217 code: `USD`. An amount in another currency is malformed. */
  readonly currency?: string;
  /** Allow words around the amount: `Total due: $5.00 by June 1`. It needs a currency, and two different amounts are malformed; false by default. */
  readonly inText?: boolean;
}

export interface MoneyOptions extends NumberOptions, MoneyWriting {}

export interface CurrencyOptions extends FieldOptions<string>, MoneyWriting {}

const MONEY_WRITING: OptionNames<MoneyWriting> = {
  decimal: true,
  locale: true,
  currency: true,
  inText: true,
};
export const MONEY_OPTIONS: OptionNames<MoneyOptions> = { ...NUMBER_OPTIONS, ...MONEY_WRITING };
export const CURRENCY_OPTIONS: OptionNames<CurrencyOptions> = { ...FIELD_OPTIONS, ...MONEY_WRITING };

export interface DateOptions extends FieldOptions<string> {
  /** Tried in order, for example `MM/DD/YYYY` or `D MMMM YYYY`; `epoch` and `epoch-ms` give instants. By default, ISO dates and `/Date(ms)/` are read. */
  readonly formats?: readonly string[];
  /** How much of the date to return: `month` gives `2024-02`, `year` gives `2024`, and formats need no more than that. `day` never gives an instant. */
  readonly precision?: DatePrecision;
  /** The language of month and weekday names; `en` by default. */
  readonly locale?: string;
  /** The site's time zone, such as `America/Chicago`. A date with a time is then an instant: `2024-02-09T22:05:00Z`. */
  readonly timeZone?: string;
  /** An earlier date is malformed. As `YYYY-MM-DD`. */
  readonly min?: string;
  /** A later date is malformed. As `YYYY-MM-DD`, that day included. */
  readonly max?: string;
}

export const DATE_OPTIONS: OptionNames<DateOptions> = {
  ...FIELD_OPTIONS,
  formats: true,
  precision: true,
  locale: true,
  timeZone: true,
  min: true,
  max: true,
};

export interface PhoneOptions extends FieldOptions<string>, PhoneStyle {}

export const PHONE_OPTIONS: OptionNames<PhoneOptions> = {
  ...FIELD_OPTIONS,
  country: true,
  format: true,
  isStrict: true,
};

export interface EmailOptions extends FieldOptions<string> {
  /** Also read `ann at town dot gov`, without brackets around the words; false by default. */
  readonly deobfuscate?: boolean;
}

export const EMAIL_OPTIONS: OptionNames<EmailOptions> = { ...FIELD_OPTIONS, deobfuscate: true };

export interface ListOptions<T extends string> extends Omit<FieldOptions<string>, "check"> {
  /** The only valid texts for each entry. */
  readonly oneOf?: readonly T[];
  /** Returns true, or what is wrong with the list as a whole. */
  readonly check?: (values: readonly T[]) => true | string;
}

export const LIST_OPTIONS: OptionNames<ListOptions<string>> = { ...FIELD_OPTIONS, oneOf: true };

/** The shape of the JSON is checked by `check`. */
export type JsonOptions<T> = Omit<FieldOptions<T>, "pattern">;

const { pattern: _, ...JSON_OPTION_NAMES } = FIELD_OPTIONS;
export const JSON_OPTIONS: OptionNames<JsonOptions<never>> = JSON_OPTION_NAMES;
