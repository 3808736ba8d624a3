import { NO_VALUE_TEXTS, saysNone, type Wording } from "./no-value.ts";

/** Whether a text means that the site has no value there. White space must be folded. */
export type IsPlaceholder = (text: string) => boolean;

type PlaceholderKind = Wording | "date" | "phone";

export interface PlaceholderOptions {
  readonly placeholders?: readonly string[];
  readonly answers?: readonly string[];
}

/** Possible names, and codes of North American states and provinces; in lower case they are placeholders. */
const NAMES = new Set(["Na", "NC", "ND", "SD", "NB", "NS"]);
/** Longer texts are values. */
const LONGEST = 60;
const NO_WORDS = /^[\p{P}\p{Z}\p{C}\s~=+|^`<>∅⌀¯]*$/u;
const AROUND = /^[\p{P}\p{Z}\s~=+|^`<>]+|[\p{P}\p{Z}\s~=+|^`<>]+$/gu;
const BETWEEN = /\s+[-–—/:|]\s*|\s*[;:|]\s+|\s+\(/;

/** A form mask that nobody filled in: `xx/xx/xxxx`, `mm/dd/yyyy`, `__/__/____`. */
const DATE_MASK =
  /^(?:[xX?*_#0]{1,4}|[MmDdYyJjTtAa]{1,4})(?:\s?[/.-]\s?(?:[xX?*_#0]{1,4}|[MmDdYyJjTtAa]{1,4})){2}$/;
/** `0000-00-00 00:00:00`; the year 1 is a program's default date. */
const ZERO_DATE = /^[0\s/.:T-]*0[0\s/.:TZ-]*$|^(?:0?1[/.-]0?1[/.-]0001|0001-01-01)(?:[T ][0:. APMZ12]*)?$/i;
const PHONE_MASK =
  /^[+(]?[\dxX#_?*]{0,3}[\s().-]*[xX#_?*]{3}[\s).-]*[xX#_?*]{3,4}[\s.-]*[xX#_?*]{0,4}$|^[0\s().+-]*0[0\s().+-]*$/;
const NUMBER_MASK = /^[$€£]?\s?[xX]{2,}(?:[.,][xX]+)*\s?%?$/;

export function placeholders(
  kind: PlaceholderKind,
  { placeholders: more = [], answers = [] }: PlaceholderOptions = {},
): IsPlaceholder {
  const isWords = kind === "words";
  const wording = isWords ? "words" : "value";
  const known = NO_VALUE_TEXTS[wording];
  const added = new Set(more.map((text) => text.trim().toLowerCase()));
  const kept = new Set(answers.map((text) => text.trim().toLowerCase()));
  const mask =
    kind === "date" ? DATE_MASK : kind === "phone" ? PHONE_MASK : isWords ? undefined : NUMBER_MASK;

  const isKnown = (text: string): boolean => {
    const core = text.replace(AROUND, "").replace(/\s*\/\s*/g, "/");
    if (isWords && NAMES.has(core)) return false;
    return known.has(core.toLowerCase()) || saysNone(core, wording);
  };

  return (text) => {
    if (text.length > LONGEST) return added.size > 0 && added.has(text.toLowerCase());
    if (kept.size > 0 && kept.has(text.toLowerCase())) return false;
    if (NO_WORDS.test(text)) return true;
    if (added.size > 0 && added.has(text.toLowerCase())) return true;
    // Most texts begin with a digit or a currency, and no placeholder does.
    if (mask?.test(text) === true) return true;
    if (kind === "date" && ZERO_DATE.test(text)) return true;
    if (/^[$€£]?\d/.test(text)) return false;
    if (isKnown(text)) return true;
    const parts = text.split(BETWEEN);
    return parts.length > 1 && parts.length < 4 && parts.every((part) => part !== "" && isKnown(part));
  };
}
