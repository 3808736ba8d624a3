import { placeholders } from "./placeholders.ts";
import { readNumber } from "./read-number.ts";
import type { NumberStyle } from "./read-number.ts";
import type { Reading } from "./reading.ts";
import { markRemover } from "./without-mark.ts";

const withoutPercent = markRemover(
  // Prozent, procent, procenten, procentów; pour cent, por ciento, per cento, por cento.
  "[%٪％]|pct\\.?|p\\.\\s?c\\.|v\\.\\s?h\\.|proc\\.|(?:per|pro|por|pour)[\\s-]?[csz]i?ent(?:o|a|en|ów|ow|i)?",
);
const isPlaceholder = placeholders("value");

/** Reads `1.25 %` as 1.25. The sign may be missing: it often stands in the column's head. */
export function readPercent(text: string, style: NumberStyle = {}): Reading<number> {
  const share = withoutPercent(text) ?? text;
  return isPlaceholder(share) ? { isEmpty: true } : readNumber(share, style);
}
