import { stripVTControlCharacters } from "node:util";

/**
 * What a page says goes into source code in two ways only: as a string literal in double quotes, and as the end of a line comment. Both
 * leave nothing in it that could end them, or turn the direction of what a reader sees.
 */
export const literal = (text: string): string =>
  JSON.stringify(text).replace(UNSEEN, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );

// Controls, line separators, and marks that turn or hide text, some of them beyond the first plane.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const COMMENT_LENGTH = 60;

/** `// "…"`, on one line and cut. */
export const valueComment = (text: string): string => {
  const plain = stripVTControlCharacters(text)
    .replace(/\s+/g, " ")
    .replace(/\p{C}/gu, "")
    .replaceAll("*/", "* /")
    .trim();
  const characters = Array.from(plain);
  const shown =
    characters.length > COMMENT_LENGTH ? `${characters.slice(0, COMMENT_LENGTH - 1).join("")}…` : plain;
  return `// "${shown}"`;
};

/** The fixed text of a template literal. */
export const templateText = (text: string): string =>
  literal(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("`", "\\`").replaceAll("${", "\\${");
