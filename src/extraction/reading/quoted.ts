const LENGTH = 60;

/** A text of the page inside of a sentence: in quotes, and cut when it is long. */
export const quoted = (text: string): string =>
  `"${text.length <= LENGTH ? text : `${text.slice(0, LENGTH)}…`}"`;
