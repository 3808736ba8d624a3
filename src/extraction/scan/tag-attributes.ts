import {
  asciiLowerCase,
  decodeEntities,
  DOUBLE_QUOTE,
  EQUALS,
  GREATER,
  isNameEnd,
  isSpace,
  lowerCase,
  type PageCodes,
  SINGLE_QUOTE,
  SLASH,
} from "./markup.ts";

/** Numbers for each attribute: where its name and its value begin and end. */
const ATTRIBUTE_SIZE = 4;

/** In lower case; `| 32` makes upper-case letters equal to these, and nothing else in a name. */
const ID = [105, 100];
const CLASS = [99, 108, 97, 115, 115];

const MOST_SPARE = 1024 * ATTRIBUTE_SIZE;
let spare: Int32Array<ArrayBuffer> | undefined;

function takePlaces(): Int32Array<ArrayBuffer> {
  const places = spare ?? new Int32Array(16 * ATTRIBUTE_SIZE);
  spare = undefined;
  return places;
}

/** Finds the attributes of start tags and records their positions; strings are made only when asked for. */
export class TagAttributes {
  readonly text: string;
  readonly #codes: PageCodes;
  /** `ATTRIBUTE_SIZE` numbers for each attribute of every tag so far, unless `forget` was called. */
  places = takePlaces();
  /** Those of the last tag: from `first` up to `end`. */
  first = 0;
  end = 0;
  /** Where its id and its class are recorded; -1 for none. */
  idPlace = -1;
  classPlace = -1;
  /** Whether the last tag ended in `/>`. */
  endsWithSlash = false;

  constructor(text: string, codes: PageCodes) {
    this.text = text;
    this.#codes = codes;
  }

  /** No longer needed: the next page may reuse its memory. */
  release(): void {
    if (this.places.length <= MOST_SPARE) spare = this.places;
  }

  forget(): void {
    this.end = 0;
  }

  readNone(): void {
    this.first = this.end;
    this.idPlace = -1;
    this.classPlace = -1;
  }

  /** Reads from the end of the tag's name; returns where its content begins, or -1 if the page ends before the tag. */
  read(from: number): number {
    const codes = this.#codes;
    const { length } = this.text;
    this.readNone();
    this.endsWithSlash = false;
    let at = from;
    for (;;) {
      let code = codes[at] ?? 0;
      while (isSpace(code)) code = codes[++at] ?? 0;
      if (at >= length) return -1;
      if (code === GREATER) return at + 1;
      if (code === SLASH) {
        at++;
        if (codes[at] !== GREATER) continue;
        this.endsWithSlash = true;
        return at + 1;
      }
      // The first character belongs to the name, even `=` or a quote.
      const nameFrom = at;
      code = codes[++at] ?? 0;
      // Letters, the most common, have codes above all that ends a name.
      while (code > GREATER || (code !== EQUALS && !isNameEnd(code) && at < length)) code = codes[++at] ?? 0;
      const nameEnd = at;
      while (isSpace(code)) code = codes[++at] ?? 0;
      if (code !== EQUALS) {
        this.#note(nameFrom, nameEnd, nameEnd, nameEnd);
        continue;
      }
      do code = codes[++at] ?? 0;
      while (isSpace(code));
      const valueFrom = at + 1;
      if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
        at = this.#quoteAfter(valueFrom, code);
        if (at === -1) return -1;
        this.#note(nameFrom, nameEnd, valueFrom, at++);
        continue;
      }
      while (at < length && code !== GREATER && !isSpace(code)) code = codes[++at] ?? 0;
      this.#note(nameFrom, nameEnd, valueFrom - 1, at);
    }
  }

  /** Most values are short: then a loop is faster than a search. */
  #quoteAfter(from: number, quote: number): number {
    const codes = this.#codes;
    const near = Math.min(from + 16, this.text.length);
    for (let at = from; at < near; at++) if (codes[at] === quote) return at;
    return this.text.indexOf(quote === DOUBLE_QUOTE ? '"' : "'", near);
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
    // Of two with the same name, the first counts.
    if (nameTo - nameFrom === 2) {
      if (this.idPlace === -1 && this.#isNamed(nameFrom, ID)) this.idPlace = end;
    } else if (nameTo - nameFrom === 5) {
      if (this.classPlace === -1 && this.#isNamed(nameFrom, CLASS)) this.classPlace = end;
    }
  }

  #isNamed(from: number, name: readonly number[]): boolean {
    for (let at = 0; at < name.length; at++)
      if (((this.#codes[from + at] ?? 0) | 32) !== name[at]) return false;
    return true;
  }

  /** Where the attribute is recorded between two positions; -1 for nowhere. Of two with the same name, the first counts. */
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

/** `name` is in lower case, the page's may be in any; only ASCII letters have two cases. */
function isNamed(text: string, from: number, to: number, name: string): boolean {
  if (to - from !== name.length) return false;
  for (let at = 0; at < name.length; at++) {
    if (lowerCase(text.charCodeAt(from + at)) !== name.charCodeAt(at)) return false;
  }
  return true;
}
