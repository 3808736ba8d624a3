import type { HtmlDocument } from "../../extraction/html-document.ts";
import type { PhoneStyle } from "../../extraction/reading/read-phone.ts";
import { compileSelector } from "../../extraction/selector.ts";

/** How a page writes dates and numbers. */
export interface PageStyle {
  /** Which of two small numbers of a date is the month. */
  readonly order: "month-first" | "day-first";
  /** The page's language where it is not English: its months have other names, its numbers perhaps another decimal mark. */
  readonly locale?: string;
  /** Whose phone numbers it shows. */
  readonly country: Country;
}

export type Country = NonNullable<PhoneStyle["country"]>;

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
    // One that has no phone numbers makes a field that cannot be defined, and text is drafted instead.
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

/** Any date whose day is above 12 tells. */
const orderIn = (texts: readonly string[]): PageStyle["order"] | undefined => {
  for (const text of texts) {
    const [, first, second] = /^(\d{1,2})[/.-](\d{1,2})[/.-]\d{2,4}\b/.exec(text) ?? [];
    if (Number(first) > 12) return "day-first";
    if (Number(second) > 12) return "month-first";
  }
  return undefined;
};
