const WORDS = 5;
const LENGTH = 40;

/** `Owner Name:` becomes `ownerName`, in any script; undefined where the label has no word. */
export const fieldName = (label: string): string | undefined => {
  const words = label
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/['’]/g, "")
    .replace(/\be-mail/gi, "email")
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}\p{Nd}]+/u)
    .filter((word) => word !== "");
  // A property cannot begin with a digit: `2025 taxes` becomes `taxes2025`.
  const first = words.findIndex((word) => /^\p{L}/u.test(word));
  if (first < 0) return undefined;
  const ordered = [...words.slice(first), ...words.slice(0, first)].slice(0, WORDS);
  const name = ordered.map((word, at) => (at === 0 ? lower(word) : capital(word))).join("");
  return name.slice(0, LENGTH);
};

const lower = (word: string): string => word.toLowerCase();
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

/** The same name with a number where it is taken. */
export const freeName = (name: string, taken: ReadonlySet<string>): string => {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) if (!taken.has(`${name}${number}`)) return `${name}${number}`;
};
