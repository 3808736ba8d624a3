/** A place on a page as editors name it, both 1-based. */
interface PagePlace {
  readonly line: number;
  readonly column: number;
}

interface FragmentLine {
  readonly number: number;
  /** Cut to the width asked for, with `…` on the sides where something was cut off. */
  readonly text: string;
}

/** A few lines of a page around one place, with where to point. Plain data: it crosses threads. */
export interface PageFragment extends PagePlace {
  readonly page: string;
  readonly lines: readonly FragmentLine[];
  /** Which of the lines, from which 0-based column of its text, and how long. */
  readonly mark: { readonly line: number; readonly from: number; readonly length: number };
}

interface FragmentWish {
  /** Name of the page, as `keep.page` gave it. */
  readonly page: string;
  readonly at: number;
  /** How much of the text from `at` is meant; one character unless given. */
  readonly length?: number;
  readonly width?: number;
  /** The lines before and after it too, unless told otherwise. */
  readonly hasNeighbours?: boolean;
}

const WIDTH = 84;
/** What is shown of a line before the place, where not all of it fits: mostly what comes after it tells. */
const BEFORE = 0.35;

export const placeAt = (text: string, at: number): PagePlace => {
  const end = Math.max(0, Math.min(at, text.length));
  let line = 1;
  let start = 0;
  for (let next = text.indexOf("\n"); next >= 0 && next < end; next = text.indexOf("\n", next + 1)) {
    line++;
    start = next + 1;
  }
  return { line, column: end - start + 1 };
};

/** The line of the place, and one on each side where there is something on it. */
export const fragmentAt = (
  text: string,
  { page, at, length = 1, width = WIDTH, hasNeighbours = true }: FragmentWish,
): PageFragment => {
  const place = placeAt(text, at);
  const start = at - (place.column - 1);
  const own = lineFrom(text, start);
  const shown = cutAround(own, place.column - 1, width);
  const line = { number: place.line, text: shown.text };
  const room = shown.text.length - shown.from - (shown.isCutAfter ? 1 : 0);
  const before = hasNeighbours ? lineBefore(text, start, place.line, width) : [];
  const after = hasNeighbours ? lineAfter(text, start + own.length, place.line, width) : [];
  return {
    ...place,
    page,
    lines: [...before, line, ...after],
    mark: {
      line: place.line,
      from: shown.from,
      length: Math.max(1, Math.min(length, own.length - (place.column - 1), room)),
    },
  };
};

const lineFrom = (text: string, start: number): string => {
  const end = text.indexOf("\n", start);
  return text.slice(start, end < 0 ? text.length : end);
};

const lineBefore = (text: string, start: number, number: number, width: number): FragmentLine[] => {
  if (start === 0) return [];
  const before = text.slice(text.lastIndexOf("\n", start - 2) + 1, start - 1);
  return before.trim() === "" ? [] : [{ number: number - 1, text: cutAround(before, 0, width).text }];
};

const lineAfter = (text: string, end: number, number: number, width: number): FragmentLine[] => {
  if (end >= text.length) return [];
  const after = lineFrom(text, end + 1);
  return after.trim() === "" ? [] : [{ number: number + 1, text: cutAround(after, 0, width).text }];
};

/** Tabs, returns and controls take one column each, so that the mark stands under what it means. */
const flat = (text: string): string => text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, " ");

const cutAround = (
  line: string,
  column: number,
  width: number,
): { readonly text: string; readonly from: number; readonly isCutAfter: boolean } => {
  const whole = flat(line).trimEnd();
  if (whole.length <= width) return { text: whole, from: column, isCutAfter: false };
  const begin = Math.max(0, Math.min(column - Math.floor(width * BEFORE), whole.length - width));
  const end = begin + width;
  const head = begin > 0 ? "…" : "";
  const isCutAfter = end < whole.length;
  const text = head + whole.slice(begin + head.length, isCutAfter ? end - 1 : end) + (isCutAfter ? "…" : "");
  return { text, from: column - begin, isCutAfter };
};
