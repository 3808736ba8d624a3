import { AMP } from "./markup-codes.ts";
import { ATTRIBUTE_SIZE } from "./tag-attributes.ts";
import type { TagAttributes } from "./tag-attributes.ts";
import type { TagKind } from "./tag-kind.ts";

/** The element whose start tag was just read, as selectors see it: what stands before and above it, nothing of what follows. */
export class OpenElement {
  readonly #attributes: TagAttributes;
  #isLookedAt = false;
  tag = "";
  /** As selectors see it, which know no case. */
  name = "";
  /** Where they are noted in its attributes, -1 for nowhere. */
  idPlace = -1;
  classPlace = -1;
  /** Elements before it in its parent, and those of them with the same tag. */
  before = 0;
  beforeOfType = 0;
  isOutermost = false;
  /** Whether it is the row that the selectors of a row are relative to. */
  isScope = false;

  constructor(attributes: TagAttributes) {
    this.#attributes = attributes;
  }

  begin(kind: TagKind, isOutermost: boolean, before: number): void {
    this.tag = kind.name;
    this.name = kind.lower;
    this.isOutermost = isOutermost;
    this.before = before;
    this.#isLookedAt = false;
  }

  attribute(name: string): string | undefined {
    const { first, end } = this.#attributes;
    const place = this.#attributes.find(first, end, name);
    return place === -1 ? undefined : this.#attributes.valueAt(place);
  }

  /** Finds its id and class, once. */
  look(): void {
    if (this.#isLookedAt) return;
    this.#isLookedAt = true;
    const { text, places, first, end } = this.#attributes;
    this.idPlace = -1;
    this.classPlace = -1;
    for (let place = end - ATTRIBUTE_SIZE; place >= first; place -= ATTRIBUTE_SIZE) {
      const from = places[place] ?? 0;
      const length = (places[place + 1] ?? 0) - from;
      if (length === 2) {
        if ((text.charCodeAt(from) | 32) === 105 && (text.charCodeAt(from + 1) | 32) === 100)
          this.idPlace = place;
      } else if (length === 5 && isClass(text, from)) this.classPlace = place;
    }
  }

  /** `id` is free of `&`. */
  hasId(id: string): boolean {
    if (this.idPlace === -1) return false;
    const { text, places } = this.#attributes;
    const from = places[this.idPlace + 2] ?? 0;
    const length = (places[this.idPlace + 3] ?? 0) - from;
    for (let at = 0; at < id.length; at++) {
      if (at === length) return false;
      const code = text.charCodeAt(from + at);
      if (code !== id.charCodeAt(at)) return code === AMP && this.#attributes.valueAt(this.idPlace) === id;
    }
    // No entity stands for nothing: what follows makes it another id.
    return length === id.length;
  }

  /** `name` is not empty and free of `&` and white space. */
  hasClass(name: string): boolean {
    if (this.classPlace === -1) return false;
    const { text, places } = this.#attributes;
    const from = places[this.classPlace + 2] ?? 0;
    const to = places[this.classPlace + 3] ?? 0;
    const found = findClass(text, from, to, name);
    if (found !== "unsure") return found === "yes";
    const value = this.#attributes.valueAt(this.classPlace);
    return findClass(value, 0, value.length, name, true) === "yes";
  }
}

const isClass = (text: string, from: number): boolean =>
  (text.charCodeAt(from) | 32) === 99 &&
  (text.charCodeAt(from + 1) | 32) === 108 &&
  (text.charCodeAt(from + 2) | 32) === 97 &&
  (text.charCodeAt(from + 3) | 32) === 115 &&
  (text.charCodeAt(from + 4) | 32) === 115;

/** Unsure where an entity comes into it. */
function findClass(
  text: string,
  from: number,
  to: number,
  name: string,
  isDecoded = false,
): "yes" | "no" | "unsure" {
  let matched = 0;
  let isYes = false;
  // `matched` is -1 inside of a word that is another one.
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === AMP && !isDecoded) return "unsure";
    if (code <= 32 ? code === 32 || (code >= 9 && code <= 13) : code >= 160 && /\s/.test(text.charAt(at))) {
      if (matched === name.length) isYes = true;
      matched = 0;
    } else matched = matched !== -1 && code === name.charCodeAt(matched) ? matched + 1 : -1;
  }
  return isYes || matched === name.length ? "yes" : "no";
}
