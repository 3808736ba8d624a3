import { decodeEntities, foldBreaks } from "./scan/decode-entities.ts";

/** Numbers for each piece: where it begins, and where it ends. */
const SIZE = 2;

/** Where the pieces of a page's text stand, in the order of the page; strings are made only of those that are asked for. */
export class TextPlaces {
  readonly #text: string;
  #places = new Int32Array(64 * SIZE);
  count = 0;

  constructor(text: string) {
    this.#text = text;
  }

  add(from: number, to: number, hasEntities: boolean): void {
    const at = this.count++ * SIZE;
    if (at === this.#places.length) {
      const longer = new Int32Array(at * 2);
      longer.set(this.#places);
      this.#places = longer;
    }
    this.#places[at] = from;
    // Below zero: to be taken as it stands.
    this.#places[at + 1] = hasEntities ? to : ~to;
  }

  piece(index: number): string {
    const from = this.#places[index * SIZE] ?? 0;
    const to = this.#places[index * SIZE + 1] ?? 0;
    return to < 0 ? foldBreaks(this.#text.slice(from, ~to)) : decodeEntities(this.#text, from, to, "text");
  }
}
