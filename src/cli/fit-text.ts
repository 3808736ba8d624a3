import { stripVTControlCharacters } from "node:util";

/** Two columns wide in a terminal: East Asian wide and fullwidth forms, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const MARK = /\p{Mark}|\u200b|\u200d|\ufe0f/u;

const characterWidth = (character: string): number =>
  MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;

/** Columns that the text takes in a terminal. */
export const textWidth = (text: string): number => {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
};

/** Keys and details come from sites: on one line, and with nothing in them that steers a terminal. */
export const plainText = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/\s+/g, " ")
    // Controls, and marks that turn the direction of what follows.
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "")
    .trim();

/** Cut to at most `width` columns, with `…` where something was cut off. */
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
