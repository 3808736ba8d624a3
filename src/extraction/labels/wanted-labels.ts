import { labelKey } from "../label-key.ts";

/** What may stand around a label in its element: a colon, dots, a footnote's mark. */
const LONGEST_AROUND = 16;
/** Letters and digits of ASCII, of which a label's key may begin with one. */
const PLAIN = /[a-z0-9]/i;

/** The labels that a scraper asks for. A page has hundreds of texts, so that most are told apart by a glance. */
export class WantedLabels {
  readonly #keys = new Set<string>();
  readonly #beginnings = new Set<string>();
  #shortest = Infinity;
  #longest = 0;

  add(key: string): void {
    this.#keys.add(key);
    this.#beginnings.add(key.charAt(0));
    this.#shortest = Math.min(this.#shortest, key.length);
    this.#longest = Math.max(this.#longest, key.length);
  }

  /** The key of a text that is one of the labels. */
  keyIn(text: string): string | undefined {
    if (text.length < this.#shortest || text.length > this.#longest + LONGEST_AROUND + leadingSpace(text))
      return undefined;
    const first = text.charAt(0);
    if (PLAIN.test(first) && !this.#beginnings.has(first.toLowerCase())) return undefined;
    const key = labelKey(text);
    return this.#keys.has(key) ? key : undefined;
  }
}

const leadingSpace = (text: string): number => text.length - text.trim().length;
