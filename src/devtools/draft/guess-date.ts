import { dateReader, type ReadDate } from "../../extraction/reading/read-date.ts";
import type { PageStyle } from "./page-style.ts";

export interface DateOptions {
  readonly formats?: readonly string[];
  readonly locale?: string;
}

/** Month names, or the year first: they can be read in one way only. */
const PLAIN = (
  "MMMM D, YYYY; MMM. D, YYYY; MMMM Do, YYYY; D MMMM YYYY; D. MMMM YYYY; D-MMM-YYYY; dddd, MMMM D, YYYY; dddd, D. MMMM YYYY; " +
  "YYYY/MM/DD; YYYY.MM.DD; DD.MM.YYYY; D.M.YYYY"
).split("; ");
const MONTH_FIRST = "MM/DD/YYYY; M/D/YYYY; MM-DD-YYYY; MM/DD/YY; M/D/YY".split("; ");
const DAY_FIRST = "DD/MM/YYYY; D/M/YYYY; DD-MM-YYYY; DD/MM/YY; D/M/YY".split("; ");
const LONGEST = 40;

/** How all of these texts are read as dates; undefined where they are none. */
export const guessDate = (texts: readonly string[], style: PageStyle): DateOptions | undefined => {
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
    // First of all: `8. August` is German as well as English, and on the next page it is `8. Mai`.
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
