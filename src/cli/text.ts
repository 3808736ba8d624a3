import { stripVTControlCharacters } from "node:util";

/** Two columns wide in a terminal: East Asian wide and fullwidth forms, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const MARK = /\p{Mark}|\u200b|\u200d|\ufe0f/u;

const characterWidth = (character: string): number =>
  MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;

/** Width of the text in terminal columns. */
export const textWidth = (text: string): number => {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
};

/** Keys and details come from sites: put on one line, without control characters for the terminal. */
export const plainText = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/\s+/g, " ")
    // Control characters, and marks that change the text direction.
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "")
    .trim();

/** Cut to at most `width` columns, with `…` at the end. */
export const fitText = (text: string, width: number): string => {
  if (textWidth(text) <= width) return text;
  let fitted = "";
  let used = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width - 1) break;
    fitted += character;
  }
  return width < 1 ? "" : `${fitted}…`;
};

export const padText = (text: string, width: number, side: "left" | "right" = "right"): string => {
  const space = " ".repeat(Math.max(0, width - textWidth(text)));
  return side === "left" ? space + text : text + space;
};

/** `1,234,567`, the same in every locale. */
export const countText = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

/** `1 item`, `1,234 items`. */
export const counted = (count: number, noun: string): string =>
  `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;

/** One decimal. Never rounded to 0% or 100%. */
export const percentText = (part: number, whole: number): string => {
  if (whole === 0) return "–";
  const percent = (part / whole) * 100;
  if (part > 0 && percent < 0.1) return "<0.1%";
  if (part < whole && percent > 99.9) return ">99.9%";
  return `${percent.toFixed(1)}%`;
};

const UNITS = ["kB", "MB", "GB", "TB"];

export const bytesText = (bytes: number): string => {
  let size = bytes;
  let unit = "bytes";
  for (const next of UNITS) {
    if (size < 1000) break;
    size /= 1000;
    unit = next;
  }
  return unit === "bytes" ? `${bytes} ${bytes === 1 ? "byte" : unit}` : `${size.toFixed(1)} ${unit}`;
};

/** `12.30 USD`; small sums with two digits that count. */
export const moneyText = (cost: number, currency = "USD"): string =>
  `${cost === 0 || cost >= 1 ? cost.toFixed(2) : cost.toPrecision(2)} ${currency}`;

/** `0.25/s`, `3.1/s`, `133/s`. */
export const rateText = (perSecond: number): string => {
  if (!Number.isFinite(perSecond)) return "no limit";
  const digits = perSecond >= 10 ? 0 : perSecond >= 1 ? 1 : 2;
  return `${countText(Number(perSecond.toFixed(digits)))}/s`;
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The two largest units: `0.4s`, `12s`, `3m 05s`, `2h 04m`, `3d 07h`. */
export const durationText = (ms: number): string => {
  if (ms < 9950) return `${(Math.max(0, ms) / SECOND).toFixed(1)}s`;
  const whole = Math.round(ms / SECOND) * SECOND;
  if (whole < MINUTE) return `${whole / SECOND}s`;
  if (whole < HOUR) return pair(whole, MINUTE, "m", SECOND, "s");
  if (whole < DAY) return pair(whole, HOUR, "h", MINUTE, "m");
  return pair(whole, DAY, "d", HOUR, "h");
};

const pair = (ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string => {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${largeUnit} ${String(rest).padStart(2, "0")}${smallUnit}`;
};

/** Quotes a text as one word of a shell command. */
export const shellWord = (text: string): string =>
  /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** A title; `right` aligns the column to the right. */
type TableColumn = string | { readonly right: string };

const GAP = "  ";

/** Lines of a table, titles first, indented by two. The last column is cut where it would exceed `width`. */
export const textTable = (
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] => {
  const titles = columns.map((column) => (typeof column === "string" ? column : column.right));
  const lines = [titles, ...rows];
  const widths = columns.map((_, at) => Math.max(...lines.map((cells) => textWidth(cells[at] ?? ""))));
  const before = widths.slice(0, -1).reduce((sum, each) => sum + GAP.length + each, GAP.length);
  const last = columns.length - 1;
  widths[last] = Math.max(1, Math.min(widths[last] ?? 0, width - before));
  const cell = (text: string, at: number): string =>
    GAP +
    padText(fitText(text, widths[at]!), widths[at]!, typeof columns[at] === "string" ? "right" : "left");
  return lines.map((cells) =>
    columns
      .map((_, at) => cell(cells[at] ?? "", at))
      .join("")
      .trimEnd(),
  );
};
