import { expand } from "./expand.ts";

/**
 * How a language says that there is nothing: the words that its sentences are built of, without accents and in lower case. What a
 * part may look like is written as in `expand`.
 */
interface NoValueWords {
  /** Before a participle: `not`. */
  readonly not: string;
  /** `available`, `provided`, in all genders and numbers. */
  readonly given: string;
  /** Before a noun: `no`. */
  readonly no: string;
  readonly without: string;
  /** What is not there: `information`, `address`. */
  readonly thing: string;
  /** What may stand between `no` and the thing: `further`. */
  readonly kind: string;
  /** Alone, before or behind a thing: `missing`, `unknown`. */
  readonly missing: string;
  /** Around the thing: articles, `is`, `has been`. */
  readonly is: string;
  /** `yet`, `currently`, `at this time`, wherever they may stand. */
  readonly when: string;
  /** What begins the rest of a sentence: `about`, `for this`. */
  readonly about: string;
  /** The beginning of what will be: `to be`. */
  readonly later: string;
  /** What it is going to be: `announced`. */
  readonly announced: string;
  /** Whole sentences that are built otherwise, and abbreviations. */
  readonly sentences: string;
}

/** One letter for each part, so that a sentence is a short text and its grammar a pattern. */
const LETTERS = {
  not: "N",
  given: "G",
  no: "O",
  without: "U",
  thing: "T",
  kind: "K",
  missing: "M",
  is: "I",
  when: "W",
  about: "A",
  later: "L",
  announced: "F",
} as const;
const OTHER = "x";
const WITH_DIGIT = "9";

const THING = "I*T(?:T|A.{1,4})?";
const SUBJECT = `(?:${THING}I*)?W*`;
const PHRASES = [
  `${SUBJECT}NW*I*GW*(?:A.{1,4})?`,
  `W*OK{0,2}${THING}(?:I*W*G)?W*(?:A.{1,4})?`,
  `OGW*(?:A.{1,4})?`,
  `UK?T`,
  `${SUBJECT}MW*`,
  `M${THING}`,
  `${SUBJECT}LW*FW*`,
];
/** No number, date or address begins with "not". */
const OPEN_PHRASES = [`${SUBJECT}N[^9]{1,3}`, "O[^9]{1,3}", "U[^9]{1,2}"];
const whole = (phrases: readonly string[]): RegExp => new RegExp(`^(?:${phrases.join("|")})$`);
const GRAMMAR = { words: whole(PHRASES), value: whole([...PHRASES, ...OPEN_PHRASES]) };

/** More words are a text, not a note that there is none. */
const MOST_WORDS = 10;
/** Words that are one part of a sentence: `at this time`. */
const LONGEST_PART = 4;

export class NoValueLanguage {
  readonly sentences: readonly string[];
  /** One of these is in every phrase that is built of parts. */
  readonly signs: ReadonlySet<string>;
  readonly #words: NoValueWords;
  /** What parts of a sentence a text may be, as letters. Made when the first text with one of the signs comes along. */
  #parts: Map<string, string> | undefined;

  constructor(words: NoValueWords) {
    this.#words = words;
    this.sentences = expand(words.sentences);
    const { not, no, without, missing, later } = words;
    this.signs = new Set(
      [not, no, without, missing, later].flatMap(expand).map((text) => text.split(" ")[0] ?? text),
    );
  }

  /** The text is without accents and in lower case. `value`: where only numbers and the like are wanted. */
  saysNone(text: readonly string[], kind: "words" | "value"): boolean {
    if (text.length > MOST_WORDS) return false;
    const parts = (this.#parts ??= partsOf(this.#words));
    const grammar = GRAMMAR[kind];
    const isPhrase = (from: number, read: string): boolean => {
      if (from === text.length) return grammar.test(read);
      for (let length = Math.min(LONGEST_PART, text.length - from); length > 0; length--) {
        const letters = parts.get(text.slice(from, from + length).join(" "));
        if (letters === undefined) continue;
        for (const letter of letters) if (isPhrase(from + length, read + letter)) return true;
      }
      return isPhrase(from + 1, read + (/\d/.test(text[from] ?? "") ? WITH_DIGIT : OTHER));
    };
    return isPhrase(0, "");
  }
}

function partsOf(words: NoValueWords): Map<string, string> {
  const parts = new Map<string, string>();
  for (const [part, letter] of Object.entries(LETTERS))
    for (const text of expand(words[part as keyof typeof LETTERS])) {
      const known = parts.get(text) ?? "";
      if (!known.includes(letter)) parts.set(text, known + letter);
    }
  return parts;
}
