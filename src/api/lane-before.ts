const LAST = "\u{10ffff}";

/** A text just before the name, in the order of lists: what comes after it begins with the name itself. */
export const laneBefore = (name: string): string => {
  const last = name.codePointAt(name.length - 1) ?? 0;
  return last === 0 ? name.slice(0, -1) : `${name.slice(0, -1)}${String.fromCodePoint(last - 1)}${LAST}`;
};
