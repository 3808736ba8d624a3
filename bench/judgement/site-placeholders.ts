import type { FieldKind } from "./column.ts";
import type { Locale, LocaleTag } from "./locale.ts";

const MARKS = [
  "-",
  "--",
  "---",
  "----",
  "–",
  "—",
  "- -",
  "–––",
  "...",
  "…",
  "?",
  "??",
  ".",
  "/",
  "_",
  "____",
  "null",
  "NULL",
  "undefined",
] as const;

const DATES = [
  "00/00/0000",
  "0000-00-00",
  "0000-00-00 00:00:00",
  "00.00.0000",
  "__/__/____",
  "/ /",
  "--/--/----",
  "0001-01-01",
  "0001-01-01T00:00:00",
] as const;

const MASKS: Partial<Record<LocaleTag, readonly string[]>> = {
  "en-US": ["mm/dd/yyyy", "MM/DD/YYYY", "1/1/0001 12:00:00 AM", "1/1/0001"],
  "en-GB": ["dd/mm/yyyy", "01/01/0001 00:00:00"],
  "de-DE": ["TT.MM.JJJJ", "01.01.0001"],
  "fr-FR": ["jj/mm/aaaa", "JJ/MM/AAAA"],
  "es-ES": ["dd/mm/aaaa"],
  "pt-BR": ["dd/mm/aaaa"],
  "nl-NL": ["dd-mm-jjjj"],
};

const US_PHONES = [
  "(000) 000-0000",
  "000-000-0000",
  "( ) -",
  "() -",
  "(   )    -",
  "(___) ___-____",
  "0000000000",
] as const;

/** In these a word for "nothing" may also mean zero. */
const AMOUNTS: readonly FieldKind[] = ["number", "money", "percent"];
const NIL = ["Nil", "NIL", "nil", "-NA-", "Not Mentioned", "Not Furnished"] as const;

/**
 * Every way in which a site of this locale says "nothing" in a cell of this kind, or, not shown, in an attribute or
 * in data: there a mark such as "/" or "?" is a link like any other.
 */
export const sitePlaceholders = (
  kind: FieldKind,
  tag: LocaleTag,
  locale: Locale,
  isShown: boolean,
): readonly string[] => {
  const shown = shownPlaceholders(kind, tag, locale);
  if (isShown) return shown;
  if (kind === "url")
    return shown.filter((text) => /\p{L}{2}|^[-–—]+$/u.test(text) && !/[./]$/.test(text)).concat("http://");
  return kind === "email" ? [...shown, "mailto:"] : shown;
};

const shownPlaceholders = (kind: FieldKind, tag: LocaleTag, locale: Locale): readonly string[] => {
  const words = [...MARKS, ...locale.language.nothing];
  if (tag === "en-IN" && !AMOUNTS.includes(kind)) words.push(...NIL);
  switch (kind) {
    case "money": {
      const forms = locale.money.map((form) => form.replaceAll("~", " ").replace("#", "--"));
      return [...words, ...forms, `--${locale.decimal}--`, `-${locale.decimal}--`];
    }
    case "percent":
      return [...words, "--%", "-- %", "— %", "N/A %"];
    case "date":
      return [...words, ...DATES, ...(MASKS[tag] ?? [])];
    case "phone":
      return tag === "en-US" ? [...words, ...US_PHONES] : words;
    case "url":
      return [...words, "http://", "https://"];
    case "text":
    case "number":
    case "email":
    case "list":
      return words;
    default:
      return kind satisfies never;
  }
};
