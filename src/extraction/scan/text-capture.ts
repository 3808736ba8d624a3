import { APART, foldSpace, HIDDEN } from "../folded-text.ts";
import type { Taken } from "./page-query.ts";

/** A match whose text is known when its element ends. */
export interface OpenMatch {
  text: string | undefined;
  readonly at: number;
  readonly tag: string;
}

/** Collects the text of one matched element while its content is read. */
export class TextCapture {
  readonly #match: OpenMatch;
  readonly #take: Taken;
  /** The depth of its element. */
  readonly depth: number;
  /** Where its content begins in the source. */
  readonly inside: number;
  /** The depth of the element that hides the current text; 0 for none. */
  #hiddenAt = 0;
  #text = "";
  #isApart = false;

  constructor(match: OpenMatch, take: Taken, depth: number, inside: number) {
    this.#match = match;
    this.#take = take;
    this.depth = depth;
    this.inside = inside;
    if (take === "raw" && match.tag === "br") this.#text = "\n";
  }

  /** An element inside it begins. */
  opens(tag: string, depth: number): void {
    if (this.#take === "raw") {
      if (tag === "br") this.#text += "\n";
    } else if (this.#hiddenAt === 0) {
      if (HIDDEN.has(tag)) this.#hiddenAt = depth;
      else if (APART.has(tag)) this.#apart();
    }
  }

  /** One blank is enough: blanks are folded in the end. */
  #apart(): void {
    if (this.#isApart) return;
    this.#text += " ";
    this.#isApart = true;
  }

  closes(tag: string, depth: number): void {
    if (this.#hiddenAt === depth) this.#hiddenAt = 0;
    else if (this.#hiddenAt === 0 && this.#take === "text" && APART.has(tag)) this.#apart();
  }

  wantsText(): boolean {
    return this.#take !== "html" && this.#hiddenAt === 0;
  }

  add(text: string): void {
    this.#text += text;
    this.#isApart = false;
  }

  /** Its element ends before `at`. */
  ends(page: string, at: number): void {
    if (this.#take === "html") this.#match.text = page.slice(this.inside, at);
    else this.#match.text = this.#take === "raw" ? this.#text : foldSpace(this.#text);
  }
}
