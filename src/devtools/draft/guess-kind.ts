import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { dateReader, type ReadDate } from "../../extraction/reading/read-date.ts";
import { readMoney } from "../../extraction/reading/read-money.ts";
import {
  decimalOf,
  type NumberStyle,
  readNumber,
  readPercent,
} from "../../extraction/reading/read-number.ts";
import type { PhoneStyle } from "../../extraction/reading/read-phone.ts";
import type { Reading } from "../../extraction/reading/reading.ts";
import { compileSelector } from "../../extraction/selector.ts";
import type { ValueDraft } from "./field-draft.ts";

/** The type of a text, and the options to read it. */
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
/** Labels of numbers that identify a thing. */
const NAMING_LABEL =
  /\b(?:id|no|nr|num|number|code|zip|postal|plz|parcel|apn|account|folio|case|permit|license|isbn|sku|ean|district)\b|#/i;
/** Longer numbers are identifiers, and a leading zero would be lost. */
const COUNT = /^[-−(]?(?:0|[1-9]\d{0,8}|[1-9]\d{0,2}(?:[.,' ]\d{3})+)(?:[.,]\d+)?\)?$/;

/** Tries each type in turn; `label` distinguishes phones, numbers and identifiers. */
export const guessKind = (text: string, label: string, style: PageStyle = ENGLISH): Kind =>
  kindOfAll([text], label, style);

/** The type that all of these texts have, such as the cells of a column; blank ones are ignored. */
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

/** On a page whose language has a decimal comma, `1.234` is read that way if possible. */
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

interface DateOptions {
  readonly formats?: readonly string[];
  readonly locale?: string;
}

/** Month names, or the year first: these are unambiguous. */
const PLAIN = (
  "MMMM D, YYYY; MMM. D, YYYY; MMMM Do, YYYY; D MMMM YYYY; D. MMMM YYYY; D-MMM-YYYY; dddd, MMMM D, YYYY; dddd, D. MMMM YYYY; " +
  "YYYY/MM/DD; YYYY.MM.DD; DD.MM.YYYY; D.M.YYYY"
).split("; ");
const MONTH_FIRST = "MM/DD/YYYY; M/D/YYYY; MM-DD-YYYY; MM/DD/YY; M/D/YY".split("; ");
const DAY_FIRST = "DD/MM/YYYY; D/M/YYYY; DD-MM-YYYY; DD/MM/YY; D/M/YY".split("; ");
const LONGEST = 40;

/** How to read all of these texts as dates; undefined if they are not dates. */
const guessDate = (texts: readonly string[], style: PageStyle): DateOptions | undefined => {
  if (texts.length === 0 || texts.some((text) => text.length > LONGEST || !/\d/.test(text))) return undefined;
  const found = readersOf(style).find(({ read }) => texts.every((text) => "value" in read(text)));
  return found?.options;
};

interface Reader {
  readonly options: DateOptions;
  readonly read: ReadDate;
}

const known = new Map<string, readonly Reader[]>();

const readersOf = ({ order, locale }: PageStyle): readonly Reader[] => {
  const key = `${order} ${locale ?? ""}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const formats = [
    ...PLAIN,
    ...(order === "month-first" ? [MONTH_FIRST, DAY_FIRST] : [DAY_FIRST, MONTH_FIRST]).flat(),
  ];
  const readers = [
    { options: {}, read: dateReader() },
    // First, because `8. August` is German as well as English, and the next page may have `8. Mai`.
    ...(locale === undefined
      ? []
      : formats.filter((each) => /MMM/.test(each)).map((each) => readerOf(each, locale))),
    ...formats.map((format) => readerOf(format)),
  ];
  known.set(key, readers);
  return readers;
};

const readerOf = (format: string, locale?: string): Reader => ({
  options: { formats: [format], ...(locale !== undefined && { locale }) },
  read: dateReader([format], locale),
});

const LINK = compileSelector("a[href]");

/** The target of an element's only link. */
export const linkIn = (document: HtmlDocument, element: HtmlElement): string | undefined => {
  const links = element.tag === "a" ? [element] : document.all(LINK, element);
  const href = links[0] && document.attr(links[0], "href");
  return links.length === 1 ? href?.trim() : undefined;
};

const ADDRESS = /^(?:https?:\/\/|www\.)\S+$|^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:\/\S*)?$/i;
const WEB_LABEL = /\b(?:web|website|homepage|home page|url|link|internet|sito|página web)\b/i;

/** The type of a value by its link; undefined if the link is irrelevant, such as one from an owner to a search. */
export const kindOfLink = (
  href: string | undefined,
  text: string,
  label: string,
  { country }: PageStyle,
): Omit<ValueDraft, "place"> | undefined => {
  if (href === undefined) return /^https?:\/\/\S+$/i.test(text) ? { type: "url" } : undefined;
  if (/^mailto:/i.test(href)) return { type: "email" };
  if (/^tel:/i.test(href)) return { type: "phone", options: { country } };
  if (/^(?:#|javascript:)/i.test(href)) return undefined;
  return ADDRESS.test(text) || WEB_LABEL.test(label) ? { type: "url" } : undefined;
};

/** How a page writes dates and numbers. */
export interface PageStyle {
  /** Which of two small numbers in a date is the month. */
  readonly order: "month-first" | "day-first";
  /** The page's language if it is not English: it has other month names, and perhaps another decimal mark. */
  readonly locale?: string;
  /** The country of its phone numbers. */
  readonly country: Country;
}

type Country = NonNullable<PhoneStyle["country"]>;

export const ENGLISH: PageStyle = { order: "month-first", country: "US" };

export const pageStyle = (document: HtmlDocument): PageStyle => {
  const html = document.first(compileSelector("html"));
  const locale = localeOf((html && document.attr(html, "lang")) ?? "en");
  const texts = document
    .all(compileSelector("td, dd, time, span"))
    .map((element) => document.textOf(element));
  return {
    order: orderIn(texts) ?? (/^en(?:-US)?$/.test(locale) ? "month-first" : "day-first"),
    ...(!locale.startsWith("en") && { locale }),
    // If the country has no phone numbers, the field cannot be defined, and text is drafted instead.
    country: (new Intl.Locale(locale).maximize().region ?? "US") as Country,
  };
};

const localeOf = (language: string): string => {
  try {
    return Intl.getCanonicalLocales(language.trim().replaceAll("_", "-"))[0] ?? "en";
  } catch {
    return "en"; // pages say many things there
  }
};

/** Any date with a day above 12 shows it. */
const orderIn = (texts: readonly string[]): PageStyle["order"] | undefined => {
  for (const text of texts) {
    const [, first, second] = /^(\d{1,2})[/.-](\d{1,2})[/.-]\d{2,4}\b/.exec(text) ?? [];
    if (Number(first) > 12) return "day-first";
    if (Number(second) > 12) return "month-first";
  }
  return undefined;
};
