import { labelKey } from "../label-key.ts";

/** What may stand around a label in its element: a colon, dots, a footnote's mark. */
const LONGEST_AROUND = 16;
/** Letters and digits of ASCII: a text that begins with them has a key that does so too. */
const PLAIN = /^[a-z0-9]+$/i;
/** How many letters are compared before anything else. */
const BEGINNING = 4;

/** The labels that a scraper asks for. A page has hundreds of texts, so that most are told apart by a glance. */
export class WantedLabels {
  readonly #keys = new Set<string>();
  readonly #beginnings = new Set<string>();
  #shortest = Infinity;
  #longest = 0;

  add(key: string): void {
    this.#keys.add(key);
    for (let length = 1; length <= BEGINNING; length++) this.#beginnings.add(key.slice(0, length));
    this.#shortest = Math.min(this.#shortest, key.length);
    this.#longest = Math.max(this.#longest, key.length);
  }

  /** The key of a text that is one of the labels. */
  keyIn(text: string): string | undefined {
    const longest = this.#longest + LONGEST_AROUND;
    if (text.length < this.#shortest || (text.length > longest && text.trim().length > longest))
      return undefined;
    const beginning = text.slice(0, Math.min(BEGINNING, this.#shortest));
    if (PLAIN.test(beginning) && !this.#beginnings.has(beginning.toLowerCase())) return undefined;
    const key = labelKey(text);
    return this.#keys.has(key) ? key : undefined;
  }
}
