import data from "./no-value.json" with { type: "json" };

/** `words`: any text may be a value. `value`: numbers and the like, where more texts can only mean "none". */
export type Wording = "words" | "value";

const split = (rows: readonly string[]): string[] => rows.flatMap((row) => row.split("|"));

/** Many sites leave the accents out. */
const withPlain = (texts: readonly string[]): string[] => [
  ...texts,
  ...texts.map((text) => text.normalize("NFD").replace(/\p{M}/gu, "")),
];

/** Texts that mean "none" in languages without a grammar below, in lower case. */
export const NO_VALUE_TEXTS = {
  words: new Set(withPlain(split(data.texts))),
  value: new Set(withPlain(split([...data.texts, ...data.valueTexts]))),
} as const;

/**
 * The words that a language's phrases for "no value" consist of, as patterns, in lower case and without accents. not: "not". given: "available",
 * in all genders. no: "no". thing: "information". kind: "further", between "no" and the thing. missing: "unknown". is: articles, "has
 * been". when: "currently". about: starts the rest of a sentence. later: "to be". announced: "determined".
 */
type Language = typeof data.languages.english;

const THING = "<is>*<thing>(?:<thing>|<about><any>{1,4})?";
const SUBJECT = `(?:${THING}<is>*)?<when>*`;
const PHRASES = [
  `${SUBJECT}<not><when>*<is>*<given><when>*(?:<about><any>{1,4})?`,
  `<when>*<no><kind>{0,2}${THING}(?:<is>*<when>*<given>)?<when>*(?:<about><any>{1,4})?`,
  "<no><given><when>*(?:<about><any>{1,4})?",
  "<without><kind>?<thing>",
  `${SUBJECT}<missing><when>*`,
  `<missing>${THING}`,
  `${SUBJECT}<later><when>*<announced><when>*`,
];
/** No number, date or address begins with "not". */
const OPEN_PHRASES = [`${SUBJECT}<not><word>{1,3}`, "<no><word>{1,3}", "<without><word>{1,2}"];

/** A longer text says something. */
const MOST_WORDS = 10;

const isPart = (name: string): name is keyof Language => Object.hasOwn(data.languages.english, name);

/** Matches words that are each followed by a blank. */
function grammarOf(language: Language, wording: Wording): RegExp {
  const part = (name: string): string => {
    if (!isPart(name)) return name === "any" ? "(?:\\S+ )" : "(?:[^\\s\\d]+ )";
    return `(?:(?:${language[name].join("|").replace(/[.\\]/g, "\\$&")}) )`;
  };
  const phrases = wording === "value" ? [...PHRASES, ...OPEN_PHRASES] : PHRASES;
  return new RegExp(`^(?:${phrases.join("|").replace(/<(\w+)>/g, (_, name: string) => part(name))})$`);
}

const languages = Object.values(data.languages).map((language) => {
  const made: Partial<Record<Wording, RegExp>> = {};
  // Compiled for the first text that may need it: most scrapers meet two or three languages.
  return { language, grammar: (wording: Wording) => (made[wording] ??= grammarOf(language, wording)) };
});

const sentences = new Set(languages.flatMap(({ language }) => split(language.sentences)));

/** Every phrase has one of these words. Most texts have none, and need no look at ten languages. */
const bySign = new Map<string, typeof languages>();
for (const one of languages) {
  const { not, no, without, missing, later } = one.language;
  for (const text of split([not, no, without, missing, later].flat())) {
    const sign = text.split(" ")[0] ?? text;
    const known = bySign.get(sign) ?? [];
    if (!known.includes(one)) bySign.set(sign, [...known, one]);
  }
}

/** Whether a text says that there is nothing, in one of ten languages: "None on file", "non renseignée", "keine Angaben vorhanden". */
export function saysNone(text: string, wording: Wording): boolean {
  const plain = withoutAccents(text);
  if (sentences.has(plain)) return true;
  const words = plain.replace(ELIDED, "$& ").split(/,? /);
  if (words.length > MOST_WORDS) return false;
  const signed = words.flatMap((word) => bySign.get(word) ?? []);
  return signed.some(({ grammar }) => grammar(wording).test(`${words.join(" ")} `));
}

/** `d'information`, `nessun'indicazione`: two words. */
const ELIDED = /(?<=^| )(?:d|l|nessun|dell|sull)'/g;

const PLAIN: Readonly<Record<string, string>> = { ł: "l", ø: "o", æ: "ae", œ: "oe", ß: "ss", "’": "'" };

/** `Čas` as `cas`, `Øl` as `ol`. */
function withoutAccents(text: string): string {
  // eslint-disable-next-line no-control-regex -- all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[łøæœß’]/g, (letter) => PLAIN[letter] ?? letter);
}
