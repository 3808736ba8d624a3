/** What stands before the fields in a line of records (see `flow/judge.ts`). */
export interface RecordHead {
  readonly key: string;
  readonly scraper: string;
  readonly quality: "complete" | "partial";
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Reads the head of a line without the fields, which are most of it: a job's records are walked through to find those of an item.
 * A line that is written otherwise is parsed whole.
 */
export const recordHead = (line: Buffer): RecordHead =>
  readStrings(line) ?? (JSON.parse(line.toString()) as RecordHead);

const readStrings = (line: Buffer): RecordHead | undefined => {
  const head = new Map<string, string>();
  let at = 1; // after the brace
  for (;;) {
    const nameEnd = stringEnd(line, at);
    if (nameEnd < 0) return undefined;
    const name = line.toString("latin1", at + 1, nameEnd - 1);
    if (name === "fields") break;
    const valueEnd = stringEnd(line, nameEnd + 1);
    if (valueEnd < 0) return undefined;
    if (name === "key" || name === "scraper" || name === "quality")
      head.set(name, JSON.parse(line.toString("utf8", nameEnd + 1, valueEnd)) as string);
    at = valueEnd + 1; // after the comma
  }
  const [key, scraper, quality] = [head.get("key"), head.get("scraper"), head.get("quality")];
  if (key === undefined || scraper === undefined || (quality !== "complete" && quality !== "partial"))
    return undefined;
  return { key, scraper, quality };
};

/** Index after the closing quote of the string that begins at `start`; -1 where none does. */
const stringEnd = (line: Buffer, start: number): number => {
  if (line[start] !== QUOTE) return -1;
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === BACKSLASH) at++;
    else if (line[at] === QUOTE) return at + 1;
  }
  return -1;
};
