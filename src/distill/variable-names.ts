/** Words of the language, and names that the written code uses itself. */
const RESERVED = new Set(
  (
    "arguments async await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements " +
    "import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield " +
    "absent by defineScraper encodeURIComponent field given http input keep need scraperFile source Buffer Date JSON Math Number String URL"
  ).split(" "),
);

/** A variable named after words of a site: `csrf-token` is `csrfToken`. Page text enters code here only as ASCII letters and digits. */
export const variableName = (text: string, otherwise: string, taken: Set<string>): string => {
  const words = text.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const camel = words
    .map((word, at) => (at === 0 ? word[0]!.toLowerCase() : word[0]!.toUpperCase()) + word.slice(1))
    .join("");
  const base = /^[a-z][A-Za-z0-9]{0,39}$/.test(camel) ? camel : otherwise;
  let name = RESERVED.has(base) ? `${base}Value` : base;
  for (let number = 2; taken.has(name); number++) name = `${base}${number}`;
  taken.add(name);
  return name;
};
