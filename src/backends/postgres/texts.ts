/**
 * PostgreSQL stores neither U+0000 nor half of a surrogate pair, and its JSON operators refuse documents that have either as an escape. Both are
 * stored as U+0001 and what it stands for: `0`, `1` for U+0001 itself, `2` and the hexadecimal digits of the half. In a JSON document the same is
 * written with the escape of U+0001, so that a text that is read out of it is one that was encoded.
 */
const MARK = "\u0001";
const ESCAPE = "\\u0001";

export const encodeText = (text: string): string => {
  let encoded = text;
  if (text.includes("\\u"))
    encoded = encoded
      .replaceAll(ESCAPE, `${ESCAPE}1`)
      .replaceAll("\\u0000", `${ESCAPE}0`)
      .replace(/\\u(d[89a-f][0-9a-f]{2})/g, "\\u00012$1");
  if (text.includes(MARK) || text.includes("\u0000"))
    encoded = encoded.replaceAll(MARK, `${MARK}1`).replaceAll("\u0000", `${MARK}0`);
  return text.isWellFormed()
    ? encoded
    : encoded.replace(/\p{Surrogate}/gu, (half) => `${MARK}2${half.charCodeAt(0).toString(16)}`);
};

export const decodeText = (text: string): string => {
  let decoded = text;
  if (text.includes(MARK))
    decoded = decoded
      .replaceAll(`${MARK}0`, "\u0000")
      .split(`${MARK}2`)
      .map((part, i) =>
        i === 0 ? part : String.fromCharCode(Number.parseInt(part.slice(0, 4), 16)) + part.slice(4),
      )
      .join("")
      .replaceAll(`${MARK}1`, MARK);
  if (text.includes(ESCAPE))
    decoded = decoded
      .replaceAll(`${ESCAPE}0`, "\\u0000")
      .replaceAll(`${ESCAPE}2`, "\\u")
      .replaceAll(`${ESCAPE}1`, ESCAPE);
  return decoded;
};
