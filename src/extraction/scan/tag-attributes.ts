import { decodeEntities } from "./decode-entities.ts";
import {
  asciiLowerCase,
  DOUBLE_QUOTE,
  EQUALS,
  GREATER,
  isNameEnd,
  isSpace,
  lowerCase,
  SINGLE_QUOTE,
  SLASH,
} from "./markup-codes.ts";

/** Numbers for each attribute: where its name begins and ends, and where its value does. */
export const ATTRIBUTE_SIZE = 4;

const MOST_SPARE = 1024 * ATTRIBUTE_SIZE;
let spare: Int32Array<ArrayBuffer> | undefined;

function takePlaces(): Int32Array<ArrayBuffer> {
  const places = spare ?? new Int32Array(16 * ATTRIBUTE_SIZE);
  spare = undefined;
  return places;
}

/** Finds the attributes of start tags and notes their places; strings are made only of those that are asked for. */
export class TagAttributes {
  readonly text: string;
  /** `ATTRIBUTE_SIZE` numbers for each attribute of every tag so far, unless `forget` was called in between. */
  places = takePlaces();
  /** The last tag's own: from `first` up to `end`. */
  first = 0;
  end = 0;
  /** Whether the last tag ended in `/>`. */
  endsWithSlash = false;

  constructor(text: string) {
    this.text = text;
  }

  /** Nothing is asked of it any more: the next page may have its memory. */
  release(): void {
    if (this.places.length <= MOST_SPARE) spare = this.places;
  }

  forget(): void {
    this.end = 0;
  }

  readNone(): void {
    this.first = this.end;
  }

  /** From the end of the tag's name; returns where its content begins, -1 when the page ends before the tag does. */
  read(from: number): number {
    const { text } = this;
    const { length } = text;
    this.first = this.end;
    this.endsWithSlash = false;
    let at = from;
    for (;;) {
      while (at < length && isSpace(text.charCodeAt(at))) at++;
      if (at >= length) return -1;
      const start = text.charCodeAt(at);
      if (start === GREATER) return at + 1;
      if (start === SLASH) {
        at++;
        if (text.charCodeAt(at) !== GREATER) continue;
        this.endsWithSlash = true;
        return at + 1;
      }
      at = this.#readOne(at);
      if (at === -1) return -1;
    }
  }

  /** Whatever stands first is part of the name, even `=` or a quote. */
  #readOne(from: number): number {
    const { text } = this;
    const { length } = text;
    let at = from + 1;
    let code = text.charCodeAt(at);
    // Letters, which are most of it, come after all that ends a name.
    while (code > GREATER || (at < length && code !== EQUALS && !isNameEnd(code)))
      code = text.charCodeAt(++at);
    const nameEnd = at;
    while (at < length && isSpace(code)) code = text.charCodeAt(++at);
    if (code !== EQUALS) {
      this.#note(from, nameEnd, nameEnd, nameEnd);
      return at;
    }
    do code = text.charCodeAt(++at);
    while (at < length && isSpace(code));
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      const end = quoteAfter(text, at + 1, code);
      if (end === -1) return -1;
      this.#note(from, nameEnd, at + 1, end);
      return end + 1;
    }
    const valueFrom = at;
    while (at < length && code !== GREATER && !isSpace(code)) code = text.charCodeAt(++at);
    this.#note(from, nameEnd, valueFrom, at);
    return at;
  }

  #note(nameFrom: number, nameTo: number, valueFrom: number, valueTo: number): void {
    const { end } = this;
    if (end + ATTRIBUTE_SIZE > this.places.length) {
      const longer = new Int32Array(this.places.length * 2);
      longer.set(this.places);
      this.places = longer;
    }
    const { places } = this;
    places[end] = nameFrom;
    places[end + 1] = nameTo;
    places[end + 2] = valueFrom;
    places[end + 3] = valueTo;
    this.end = end + ATTRIBUTE_SIZE;
  }

  /** Where the attribute is noted between two places, -1 for nowhere. Of two with one name, the first counts. */
  find(first: number, end: number, name: string): number {
    const { text, places } = this;
    for (let place = first; place < end; place += ATTRIBUTE_SIZE) {
      if (isNamed(text, places[place] ?? 0, places[place + 1] ?? 0, name)) return place;
    }
    return -1;
  }

  /** Names in lower case and values, in the order of the tag. */
  list(first: number, end: number): [name: string, value: string][] {
    const values = new Map<string, string>();
    for (let place = first; place < end; place += ATTRIBUTE_SIZE) {
      const name = asciiLowerCase(this.text.slice(this.places[place], this.places[place + 1]));
      if (!values.has(name)) values.set(name, this.valueAt(place));
    }
    return [...values];
  }

  valueAt(place: number): string {
    return decodeEntities(this.text, this.places[place + 2] ?? 0, this.places[place + 3] ?? 0, "attribute");
  }
}

/** Most values are short: then a search costs more than looking. */
function quoteAfter(text: string, from: number, quote: number): number {
  const near = from + 12;
  for (let at = from; at < near; at++) if (text.charCodeAt(at) === quote) return at;
  return text.indexOf(quote === DOUBLE_QUOTE ? '"' : "'", near);
}

/** `name` is in lower case, what the page has may be in any; only ASCII letters have two cases. */
function isNamed(text: string, from: number, to: number, name: string): boolean {
  if (to - from !== name.length) return false;
  for (let at = 0; at < name.length; at++) {
    if (lowerCase(text.charCodeAt(from + at)) !== name.charCodeAt(at)) return false;
  }
  return true;
}
