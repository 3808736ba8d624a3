/** A place on a page as editors show it: line and column, from 1. */
interface PagePlace {
  readonly line: number;
  readonly column: number;
}

interface FragmentLine {
  readonly number: number;
  /** Cut to the width, with `…` where something was cut off. */
  readonly text: string;
}

/** A few lines of a page around one place, with the mark's position. Plain data: it is sent between threads. */
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
  /** Length of the marked text from `at`; 1 by default. */
  readonly length?: number;
  readonly width?: number;
  /** Whether to include the lines before and after; true by default. */
  readonly hasNeighbours?: boolean;
}

const WIDTH = 84;
/** How much to show before the place if the line is too long: the text after it usually matters more. */
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

/** The line of the place and its non-blank neighbours. */
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

/** Tabs, returns and controls take one column each, so that the mark is in the right column. */
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
