import { localeWords } from "./locale-words.ts";

const byLocale = new Map<string, (text: string) => string>();
/** A Monday. */
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

const escape = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Makes a function that takes a weekday of the language off a date, before or behind it: `Tue, 5 March`, `5 March (Tuesday)`. */
export function weekdayRemover(locale: string): (text: string) => string {
  const known = byLocale.get(locale);
  if (known !== undefined) return known;
  const words = Array.from({ length: 7 }, (_, at) =>
    localeWords(locale, "weekday", MONDAY + at * DAY_MS),
  ).flat();
  // Swedish `den` and the like belong to the weekday: `tisdag den 5 mars`, `el martes`, `am Dienstag`.
  const names = words
    .flatMap((word) => [word, word.normalize("NFD").replace(/\p{M}/gu, ""), word.replace(/-feira$/, "")])
    .toSorted((a, b) => b.length - a.length);
  const name = `(?:${[...new Set(names)].map(escape).join("|")})`;
  const before = new RegExp(
    `^(?:${name})(?:\\.,?|,)?\\s+(?:den |the |le |il |el |dnia )?(?=[\\p{L}\\d])`,
    "iu",
  );
  const after = new RegExp(`(?:,\\s*|\\s+)\\(?${name}\\.?\\)?$`, "iu");
  const remove = (text: string): string => text.replace(before, "").replace(after, "");
  byLocale.set(locale, remove);
  return remove;
}
