import { readMoney } from "../../extraction/reading/read-money.ts";
import {
  decimalOf,
  type NumberStyle,
  readNumber,
  readPercent,
} from "../../extraction/reading/read-number.ts";
import type { Reading } from "../../extraction/reading/reading.ts";
import { type DateOptions, guessDate } from "./guess-date.ts";
import { type Country, ENGLISH, type PageStyle } from "./page-style.ts";

/** What a text is read as, and the options that this takes. */
export interface Kind {
  readonly type: "text" | "number" | "money" | "percent" | "date" | "phone" | "email";
  readonly options?: KindOptions;
}

export interface KindOptions extends DateOptions {
  readonly country?: Country;
}

const TEXT: Kind = { type: "text" };

const EMAIL = /^[^\s@<>()]+@[^\s@<>()]+\.[\p{L}\d-]{2,}$/u;
const PHONE = /^\+?[\d\s()./-]{7,24}(?:\s*(?:x|ext\.?)\s*\d{1,6})?$/i;
const PHONE_LABEL = /phone|tel\b|telef|fax|mobile|cell|handy/i;
const CURRENCY = /\p{Sc}|\b(?:USD|EUR|GBP|CHF|CAD|AUD)\b/u;
/** Numbers that name a thing instead of counting it. */
const NAMING_LABEL =
  /\b(?:id|no|nr|num|number|code|zip|postal|plz|parcel|apn|account|folio|case|permit|license|isbn|sku|ean|district)\b|#/i;
/** Longer ones are identifiers, and a leading zero would be lost. */
const COUNT = /^[-−(]?(?:0|[1-9]\d{0,8}|[1-9]\d{0,2}(?:[.,' ]\d{3})+)(?:[.,]\d+)?\)?$/;

/** Reads a text as each kind in turn; `label` tells a phone from a number, and a number from an identifier. */
export const guessKind = (text: string, label: string, style: PageStyle = ENGLISH): Kind =>
  kindOfAll([text], label, style);

/** The kind that all of these texts have, as the cells of a column do; blank ones say nothing. */
export const kindOfAll = (texts: readonly string[], label: string, style: PageStyle): Kind => {
  const said = texts.filter((text) => text !== "");
  const areAll = (isSo: (text: string) => boolean): boolean => said.length > 0 && said.every(isSo);
  if (areAll((text) => EMAIL.test(text))) return { type: "email" };
  if (areAll((text) => /[%٪％]/.test(text))) return numberKind("percent", readPercent, said, style);
  if (areAll((text) => CURRENCY.test(text))) return numberKind("money", readMoney, said, style);
  const date = guessDate(said, style);
  if (date !== undefined) return { type: "date", ...(date.formats && { options: date }) };
  if (areAll((text) => isPhone(text, label))) return { type: "phone", options: { country: style.country } };
  if (areAll((text) => COUNT.test(text)) && !NAMING_LABEL.test(label))
    return numberKind("number", readNumber, said, style);
  return TEXT;
};

/** On a page whose language has a decimal comma, `1.234` is read so, unless that cannot be. */
const numberKind = (
  type: "number" | "money" | "percent",
  read: (text: string, style: NumberStyle) => Reading<number>,
  texts: readonly string[],
  { locale }: PageStyle,
): Kind => {
  const canRead = (style: NumberStyle): boolean => texts.every((text) => "value" in read(text, style));
  if (locale !== undefined && decimalOf(locale) === "," && canRead({ decimal: "," }))
    return { type, options: { locale } };
  return canRead({}) ? { type } : TEXT;
};

const isPhone = (text: string, label: string): boolean => {
  const digits = text.replace(/\D/g, "").length;
  if (!PHONE.test(text) || digits < 7 || digits > 15) return false;
  return PHONE_LABEL.test(label) || /^\+|^\(\d{3}\)/.test(text);
};
