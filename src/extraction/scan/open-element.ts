import { AMP } from "./markup.ts";
import type { TagAttributes } from "./tag-attributes.ts";
import type { TagKind } from "./tag-kind.ts";

/** The element whose start tag was just read, as selectors see it: they know what is before and above it, not what follows. */
export class OpenElement {
  readonly #attributes: TagAttributes;
  tag = "";
  /** As selectors see it: they ignore case. */
  name = "";
  /** How many siblings precede it, and how many of them have the same tag. */
  before = 0;
  beforeOfType = 0;
  isOutermost = false;
  /** Whether it is the row that selectors are relative to. */
  isScope = false;

  constructor(attributes: TagAttributes) {
    this.#attributes = attributes;
  }

  begin(kind: TagKind, isOutermost: boolean, before: number): void {
    this.tag = kind.name;
    this.name = kind.lower;
    this.isOutermost = isOutermost;
    this.before = before;
  }

  get hasAnyId(): boolean {
    return this.#attributes.idPlace !== -1;
  }

  get hasAnyClass(): boolean {
    return this.#attributes.classPlace !== -1;
  }

  attribute(name: string): string | undefined {
    const { first, end } = this.#attributes;
    const place = this.#attributes.find(first, end, name);
    return place === -1 ? undefined : this.#attributes.valueAt(place);
  }

  /** `id` contains no `&`. */
  hasId(id: string): boolean {
    const { text, places, idPlace } = this.#attributes;
    if (idPlace === -1) return false;
    const from = places[idPlace + 2] ?? 0;
    const length = (places[idPlace + 3] ?? 0) - from;
    for (let at = 0; at < id.length; at++) {
      if (at === length) return false;
      const code = text.charCodeAt(from + at);
      if (code !== id.charCodeAt(at)) return code === AMP && this.#attributes.valueAt(idPlace) === id;
    }
    // No entity decodes to nothing: more characters make it another id.
    return length === id.length;
  }

  /** `name` is not empty and contains no `&` or white space. */
  hasClass(name: string): boolean {
    const { text, places, classPlace } = this.#attributes;
    if (classPlace === -1) return false;
    const from = places[classPlace + 2] ?? 0;
    const to = places[classPlace + 3] ?? 0;
    const found = findClass(text, from, to, name);
    if (found !== "unsure") return found === "yes";
    const value = this.#attributes.valueAt(classPlace);
    return findClass(value, 0, value.length, name, true) === "yes";
  }
}

/** Unsure if there is an entity. */
function findClass(
  text: string,
  from: number,
  to: number,
  name: string,
  isDecoded = false,
): "yes" | "no" | "unsure" {
  let matched = 0;
  let isYes = false;
  // `matched` is -1 inside a word that differs.
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
