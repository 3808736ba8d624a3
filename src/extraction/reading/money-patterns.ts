import { regionOf } from "./currencies.ts";
import { currencyMarks } from "./currency-marks.ts";
import type { MarkTable } from "./currency-marks.ts";

/** Patterns for amounts with the marks of a country's currencies. */
export interface MoneyPatterns extends MarkTable {
  /** A text that begins with a mark, and one that ends with it; a sign may stand outside of it. */
  readonly front: RegExp;
  readonly back: RegExp;
  /** `19€90` in France; with a word for the cents in any currency: `12 zł 50 gr`. */
  readonly compounds: RegExp;
  /** Marks at the end of what stands before a number, and (sticky) where it ends. */
  readonly ends: RegExp;
  readonly starts: RegExp;
}

const known = new Map<MarkTable, MoneyPatterns>();

export function tableOf({
  decimal,
  locale,
}: {
  readonly decimal?: "." | ",";
  readonly locale?: string;
}): MoneyPatterns {
  const table = currencyMarks(locale === undefined ? undefined : regionOf(locale), decimal === ",");
  const patterns = known.get(table);
  if (patterns !== undefined) return patterns;
  const { before, behind, compound } = table;
  const made: MoneyPatterns = {
    ...table,
    front: new RegExp(`^(?<sign>[(+−–-]?\\s*)(?<mark>${before})\\s*(?<rest>.*)$`, "u"),
    back: new RegExp(`^(?<rest>.*?)\\s*(?<mark>${behind})(?<sign>\\s*[)−–-]?)$`, "u"),
    compounds: new RegExp(
      `^(?<whole>\\d+)(?:(?<mark>€)\\s?(?<cents>\\d\\d)|\\s?(?<mark>${before})\\s?(?<cents>\\d\\d)\\s?(?<minor>${compound}))$`,
      "u",
    ),
    ends: new RegExp(`(?:(?:${before})\\s?[-−]?){1,2}$`, "u"),
    starts: new RegExp(`(?:\\s?(?:${behind})){1,2}`, "uy"),
  };
  known.set(table, made);
  return made;
}
