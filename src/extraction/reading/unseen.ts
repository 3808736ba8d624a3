/** Characters that nobody sees, wherever they stand: soft hyphens, zero-width spaces, marks of direction. They come along with what was pasted. */
const UNSEEN = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/;
const UNSEEN_ALL = new RegExp(UNSEEN, "g");
/** Joiners belong to the letters or pictures around them, and the blanks of Braille and Hangul to their script: only at the ends they are nothing. */
const AT_ENDS =
  /^[\s\u00ad\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u2800\u3164\ufeff]$/;

/** A text as a person sees it. */
export const withoutUnseen = (text: string): string =>
  trimUnseen(UNSEEN.test(text) ? text.replace(UNSEEN_ALL, "").replace(/\s+/g, " ") : text);

/** For addresses, where only what stands at the ends is surely no part of it. */
export function trimUnseen(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isNothing(text, from)) from++;
  while (to > from && isNothing(text, to - 1)) to--;
  return from === 0 && to === text.length ? text : text.slice(from, to);
}

const isNothing = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code <= 32 || (code > 127 && AT_ENDS.test(text.charAt(at)));
};
