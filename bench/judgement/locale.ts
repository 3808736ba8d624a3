import type { Language } from "./language.ts";
import { dutch } from "./languages/dutch.ts";
import { english } from "./languages/english.ts";
import { french } from "./languages/french.ts";
import { german } from "./languages/german.ts";
import { italian } from "./languages/italian.ts";
import { polish } from "./languages/polish.ts";
import { portuguese } from "./languages/portuguese.ts";
import { spanish } from "./languages/spanish.ts";
import { swedish } from "./languages/swedish.ts";

export const LOCALE_TAGS = [
  "en-US",
  "en-GB",
  "en-IN",
  "de-DE",
  "de-CH",
  "fr-FR",
  "es-ES",
  "nl-NL",
  "it-IT",
  "pl-PL",
  "pt-BR",
  "sv-SE",
] as const;
export type LocaleTag = (typeof LOCALE_TAGS)[number];

export interface Locale {
  readonly language: Language;
  readonly country: "US" | "GB" | "IN" | "DE" | "CH" | "FR" | "ES" | "NL" | "IT" | "PL" | "BR" | "SE";
  readonly domain: string;
  readonly decimal: "." | ",";
  /** Between thousands; a site keeps to one. "" writes them together. */
  readonly groups: readonly string[];
  /** # is the amount, ~ the space that the site uses. */
  readonly money: readonly string[];
  /** The same for amounts without cents: # is the whole part. */
  readonly wholeMoney: readonly string[];
  /** # is the amount without its sign. */
  readonly negativeMoney: readonly string[];
}

const NBSP = "\u00a0";
const NARROW = "\u202f";

export const LOCALES: Readonly<Record<LocaleTag, Locale>> = {
  "en-US": {
    language: english,
    country: "US",
    domain: "us",
    decimal: ".",
    groups: [",", ",", ",", ""],
    money: ["$#", "$#", "$~#", "#", "USD~#", "#~USD", "US$~#", "$#~USD", "US$#"],
    wholeMoney: ["$#"],
    negativeMoney: ["-$#", "($#)", "$-#", "$(#)", "\u2212$#", "(#)", "-#"],
  },
  "en-GB": {
    language: english,
    country: "GB",
    domain: "uk",
    decimal: ".",
    groups: [",", ",", ""],
    money: ["£#", "£#", "£~#", "#", "GBP~#", "#~GBP"],
    wholeMoney: ["£#"],
    negativeMoney: ["-£#", "(£#)", "£-#", "\u2212£#"],
  },
  "en-IN": {
    language: english,
    country: "IN",
    domain: "in",
    decimal: ".",
    groups: [","],
    money: ["₹#", "₹~#", "Rs.~#", "Rs~#", "INR~#", "Rs.#", "#"],
    wholeMoney: ["Rs.~#/-", "₹#/-", "Rs~#/-", "₹~#"],
    negativeMoney: ["-₹#", "₹~-#", "(₹#)"],
  },
  "de-DE": {
    language: german,
    country: "DE",
    domain: "de",
    decimal: ",",
    groups: [".", ".", ".", "", NBSP],
    money: ["#~€", "#~€", "#€", "#~EUR", "EUR~#", "€~#", "#~Euro", "#"],
    wholeMoney: ["#,-~€", "#,--~€", "#,–~€", "#,—~€", "#~€"],
    negativeMoney: ["-#~€", "\u2212#~€", "\u2212~#~€", "#-~€", "-€~#"],
  },
  "de-CH": {
    language: german,
    country: "CH",
    domain: "ch",
    decimal: ".",
    groups: ["'", "’", "'"],
    money: ["CHF~#", "CHF~#", "Fr.~#", "SFr.~#", "#~CHF", "#"],
    wholeMoney: ["CHF~#.–", "CHF~#.-", "Fr.~#.—", "Fr.~#.--", "CHF~#"],
    negativeMoney: ["CHF~-#", "-CHF~#", "\u2212#~CHF"],
  },
  "fr-FR": {
    language: french,
    country: "FR",
    domain: "fr",
    decimal: ",",
    groups: [NBSP, NARROW, " ", ""],
    money: ["#~€", "#~€", "#€", "#~EUR", "#~euros", "#"],
    wholeMoney: ["#~€", "#~euros"],
    negativeMoney: ["-#~€", "\u2212#~€", "\u2212~#~€"],
  },
  "es-ES": {
    language: spanish,
    country: "ES",
    domain: "es",
    decimal: ",",
    groups: [".", ".", NBSP, ""],
    money: ["#~€", "#€", "#~EUR", "€#", "#~euros", "#"],
    wholeMoney: ["#~€", "#€"],
    negativeMoney: ["-#~€", "\u2212#€", "(#~€)"],
  },
  "nl-NL": {
    language: dutch,
    country: "NL",
    domain: "nl",
    decimal: ",",
    groups: [".", ".", ""],
    money: ["€~#", "€#", "EUR~#", "#~euro", "#"],
    wholeMoney: ["€~#,-", "€~#,--", "€#,-", "€~#,–", "€~#"],
    negativeMoney: ["€~-#", "-€~#", "€~#-", "\u2212€~#"],
  },
  "it-IT": {
    language: italian,
    country: "IT",
    domain: "it",
    decimal: ",",
    groups: [".", ".", ""],
    money: ["€~#", "#~€", "#€", "Euro~#", "EUR~#", "#~euro", "#"],
    wholeMoney: ["€~#", "#,-~€"],
    negativeMoney: ["-€~#", "€~-#", "-#~€"],
  },
  "pl-PL": {
    language: polish,
    country: "PL",
    domain: "pl",
    decimal: ",",
    groups: [NBSP, " ", ".", ""],
    money: ["#~zł", "#~zł", "#zł", "#~PLN", "PLN~#", "#"],
    wholeMoney: ["#~zł", "#,-~zł"],
    negativeMoney: ["-#~zł", "\u2212#~zł"],
  },
  "pt-BR": {
    language: portuguese,
    country: "BR",
    domain: "com.br",
    decimal: ",",
    groups: [".", ".", ""],
    money: ["R$~#", "R$#", "BRL~#", "#"],
    wholeMoney: ["R$~#"],
    negativeMoney: ["-R$~#", "R$~-#", "(R$~#)"],
  },
  "sv-SE": {
    language: swedish,
    country: "SE",
    domain: "se",
    decimal: ",",
    groups: [NBSP, " ", ""],
    money: ["#~kr", "#~kr", "#~SEK", "SEK~#", "#~kronor", "#"],
    wholeMoney: ["#:-", "#~kr", "#,-", "#~:-"],
    negativeMoney: ["-#~kr", "\u2212#~kr"],
  },
};
