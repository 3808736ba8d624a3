import { defineField, type Field, FIELD_OPTIONS, type FieldOptions } from "./define-field.ts";
import { eachField, type RowsOptions } from "./each-field.ts";
import {
  type CurrencyOptions,
  DATE_OPTIONS,
  type DateOptions,
  EMAIL_OPTIONS,
  type EmailOptions,
  JSON_OPTIONS,
  type JsonOptions,
  type ListOptions,
  type MoneyOptions,
  NUMBER_OPTIONS,
  type NumberOptions,
  PHONE_OPTIONS,
  type PhoneOptions,
  PLAIN_NUMBER_OPTIONS,
  type PlainNumberOptions,
  type TextOptions,
} from "./field-options.ts";
import { fieldGroup, type FieldGroup, type Fields, type RecordOf } from "./fields.ts";
import { isTooDeep, parseLenientJson } from "./json/json-text.ts";
import type { Each, Taking, Where, Within } from "./place.ts";
import { placeholders } from "./reading/placeholders.ts";
import { dateReader } from "./reading/read-date.ts";
import { EMAIL_TAKES, emailReader, pickEmail } from "./reading/read-email.ts";
import { readNumber, readPercent, unitRemover } from "./reading/read-number.ts";
import { PHONE_TAKES, phoneReader, pickPhone } from "./reading/read-phone.ts";
import { readUrl } from "./reading/read-url.ts";
import { between, quoted } from "./reading/reading.ts";
import { tableField, type TableOptions, type TableRowOf } from "./table-field.ts";
import { currencyField, listField, moneyField, numberField, textField } from "./text-field.ts";

export type { RecordOf } from "./fields.ts";

/** Describes the fields of a record: where each is on the page, and what kind of value it is. */
export const field = {
  /** Text with its white space folded. */
  text: <const T extends string = string>(where: Where, options: TextOptions<T> = {}): Field<T> =>
    textField("text", where, "text", options),

  /** An attribute's text. An element without the attribute counts as not found. */
  attr: <const T extends string = string>(
    where: Where,
    name: string,
    options: TextOptions<T> = {},
  ): Field<T> => textField("attr", where, { attribute: name.toLowerCase() }, options),

  /** A number as people write it: `1,234.5`, `1.234,5`, `(12)`. */
  number: (where: Where, options: PlainNumberOptions = {}): Field<number> => {
    const withoutUnit = options.unit === undefined ? undefined : unitRemover([options.unit].flat());
    return numberField(
      "number",
      where,
      options,
      PLAIN_NUMBER_OPTIONS,
      "a number, such as 1,234.5",
      (text, style) => readNumber(withoutUnit?.(text) ?? text, style),
    );
  },

  /** An amount of money, without its currency: `$1,234.50` is 1234.5, `50¢` is 0.5. */
  money: (where: Where, options: MoneyOptions = {}): Field<number> => moneyField(where, options),

  /** The currency of an amount, or a currency alone, as an ISO 4217 code: `EUR`. */
  currency: (where: Where, options: CurrencyOptions = {}): Field<string> => currencyField(where, options),

  /** `1.25 %` is 1.25. */
  percent: (where: Where, options: NumberOptions = {}): Field<number> =>
    numberField("percent", where, options, NUMBER_OPTIONS, "a percentage, such as 1.25 %", readPercent),

  /** A day as `YYYY-MM-DD`; with `timeZone`, a date with a time is an instant. `precision` reduces it to a month or year. */
  date: (where: Where, options: DateOptions = {}): Field<string> => {
    const readDate = dateReader(options.formats, options.locale, options.timeZone, options);
    return defineField<string>({
      kind: "date",
      known: DATE_OPTIONS,
      where,
      taking: ONE_TEXT,
      options,
      expects: `a date like ${(options.formats ?? ["YYYY-MM-DD"]).join(" or ")}`,
      isPlaceholder: placeholders("date", options),
      readTexts: ([text = ""]) => between(options, readDate(text)),
    });
  },

  /** A phone number as `+15125550142`, or in another `format`. */
  phone: (where: Where, options: PhoneOptions = {}): Field<string> => {
    const readPhone = phoneReader(options);
    return defineField<string>({
      kind: "phone",
      known: PHONE_OPTIONS,
      where,
      taking: { takes: PHONE_TAKES, pick: pickPhone, isMany: false, jsonAs: "text" },
      options,
      expects: `a phone number${options.country === undefined ? " with its country's code, such as +1 512 555 0142" : ` of ${options.country}`}`,
      isPlaceholder: placeholders("phone", options),
      readTexts: ([text = ""]) => readPhone(text),
    });
  },

  /** An e-mail address, from text or a `mailto:` link; Cloudflare's protection is decoded. */
  email: (where: Where, options: EmailOptions = {}): Field<string> => {
    const readEmail = emailReader(options.deobfuscate ?? false);
    return defineField<string>({
      kind: "email",
      known: EMAIL_OPTIONS,
      where,
      taking: { takes: EMAIL_TAKES, pick: pickEmail, isMany: false, jsonAs: "text" },
      options,
      expects: "an e-mail address, such as clerk@town.example",
      isPlaceholder: placeholders("value", options),
      readTexts: ([text = ""]) => readEmail(text),
    });
  },

  /** The target of a link, as an absolute URL. */
  url: (where: Where, options: FieldOptions<string> = {}): Field<string> =>
    defineField<string>({
      kind: "url",
      known: FIELD_OPTIONS,
      where,
      taking: { takes: ["link"], isMany: false, jsonAs: "link" },
      options,
      expects: "a link to a page or file",
      isPlaceholder: placeholders("words", options),
      readTexts: ([text = ""], { baseUrl, isProse }) => readUrl(text, baseUrl(), isProse),
    }),

  /** The source between an element's tags, unchanged and not sanitized. */
  html: (where: Where, options: FieldOptions<string> = {}): Field<string> =>
    defineField<string>({
      kind: "html",
      known: FIELD_OPTIONS,
      where,
      taking: { takes: ["html"], isMany: false, jsonAs: "html" },
      options,
      expects: "an element with content",
      isPlaceholder: placeholders("words", options),
      readTexts: ([text = ""]) => ({ value: text }),
    }),

  /** A JSON value, from a JSON place or an element's text. */
  json: <T = unknown>(where: Where, options: JsonOptions<T> = {}): Field<T> =>
    defineField<T>({
      kind: "json",
      known: JSON_OPTIONS,
      where,
      taking: { takes: ["raw"], isMany: false, jsonAs: "json" },
      options,
      expects: "JSON",
      isPlaceholder: placeholders("value", options),
      // The author's `check` is responsible for the shape of the JSON.
      readJson: (json) => ({ value: json as T }),
      readTexts: ([text = ""]) => {
        const json = parseLenientJson(text);
        if (json === undefined) return { problem: `${quoted(text)} is not JSON` };
        return isTooDeep(json) ? { problem: `${quoted(text)} is nested too deeply` } : { value: json as T };
      },
    }),

  /** The texts of all matches; blank ones and placeholders are left out. */
  list: <const T extends string = string>(where: Where, options: ListOptions<T> = {}): Field<readonly T[]> =>
    listField(where, options),

  /** The rows of a table as objects, by its header row. */
  table: <const C extends Fields = never>(
    css: string | readonly string[],
    options: TableOptions<C> = {},
  ): Field<readonly TableRowOf<C>[]> => tableField(css, options),

  /** Fields that belong together. Each has its own status, as `address.street`. */
  object: <const F extends Fields>(fields: F, options: Within = {}): FieldGroup<F> =>
    fieldGroup(fields, options),

  /** A list of objects, one per match of the selector or entry of a JSON list (`by.path("variants[]")`); the fields are relative to it. */
  each: <const F extends Fields>(
    each: Each,
    fields: F,
    options: RowsOptions<RecordOf<F>> = {},
  ): Field<readonly RecordOf<F>[]> => eachField(each, fields, options),
};

const ONE_TEXT: Taking = { takes: ["text"], isMany: false, jsonAs: "text" };
