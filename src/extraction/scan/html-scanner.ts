import { BANG, DASH, GREATER, isLetter, isNameEnd, lowerCase, QUESTION, SLASH } from "./markup-codes.ts";
import { TagAttributes } from "./tag-attributes.ts";
import { OpenTags } from "./open-tags.ts";
import { scanRawContent } from "./raw-content.ts";
import { hashed, kindAt, knownKind } from "./tag-kind.ts";
import type { TagKind } from "./tag-kind.ts";

/** What a page consists of, in the order of its text. Comments, doctypes and the like are left out. */
export interface ScanSink {
  /** `at` is where its start tag begins, `inside` where its content does; its attributes are in `scanner.attributes`. */
  opens(kind: TagKind, at: number, inside: number): void;
  /** The innermost open element ends before `at`. */
  closes(kind: TagKind, at: number): void;
  text(from: number, to: number, hasEntities: boolean): void;
}

const P = knownKind("p");
const BR = knownKind("br");
const FORM = knownKind("form");
const IMAGE = knownKind("image");
const IMG = knownKind("img");
const SPECIAL_NAMES = "iframe noembed noframes plaintext script style textarea title xmp".split(" ");

/**
 * Reads a page exactly as htmlparser2 12 does with its defaults, malformed markup and its oddities included (a differential
 * test holds the two together), but makes no string for what nobody asks for: a sink is handed places in the text.
 *
 * It works on the decoded text: reading its codes costs as much as reading bytes (26 µs either way for all of a 12 KB page),
 * decoding 2 µs, and a byte view would have to know every charset.
 */
export class HtmlScanner {
  /** Those of the last start tag; a sink that wants no earlier ones calls `forget`. */
  readonly attributes: TagAttributes;
  readonly #text: string;
  readonly #sink: ScanSink;
  /** Set by the sink when it has seen enough. */
  isStopped = false;

  readonly #open = new OpenTags();

  constructor(text: string, sink: ScanSink) {
    this.#text = text;
    this.attributes = new TagAttributes(text);
    this.#sink = sink;
  }

  run(): void {
    const text = this.#text;
    let textFrom = 0;
    let at = text.indexOf("<");
    while (at !== -1) {
      const next = text.charCodeAt(at + 1);
      const isMarkup = isLetter(next) || next === SLASH || next === BANG || next === QUESTION;
      // `a < b`, and `</` at the very end, are text.
      if (!isMarkup || (next === SLASH && at + 2 === text.length)) {
        at = text.indexOf("<", at + 1);
        continue;
      }
      if (at > textFrom) this.#sink.text(textFrom, at, true);
      if (next === SLASH) textFrom = this.#endTag(at);
      else if (next === BANG) textFrom = this.#declaration(at);
      else if (next === QUESTION) textFrom = this.#pastGreater(at + 2);
      else textFrom = this.#startTag(at);
      if (this.isStopped) return;
      at = text.indexOf("<", textFrom);
    }
    if (textFrom < text.length) this.#sink.text(textFrom, text.length, true);
    while (this.#pop(text.length) !== undefined);
  }

  #pastGreater(from: number): number {
    const at = this.#text.indexOf(">", from);
    return at === -1 ? this.#text.length : at + 1;
  }

  #declaration(at: number): number {
    const text = this.#text;
    if (text.startsWith("--", at + 2)) return this.#pastComment(at + 4);
    if (!text.startsWith("[CDATA[", at + 2)) return this.#pastGreater(at + 2);
    const end = text.indexOf("]]>", at + 9);
    if (end === -1) return text.length;
    if (this.#open.context !== "html") this.#sink.text(at + 9, end, false);
    return end + 3;
  }

  #pastComment(from: number): number {
    const text = this.#text;
    if (text.charCodeAt(from) === GREATER) return from + 1;
    if (text.charCodeAt(from) === DASH && text.charCodeAt(from + 1) === GREATER) return from + 2;
    for (let at = text.indexOf("--", from); at !== -1; at = text.indexOf("--", at + 1)) {
      const next = text.charCodeAt(at + 2);
      if (next === GREATER) return at + 3;
      if (next === BANG && text.charCodeAt(at + 3) === GREATER) return at + 4;
    }
    return text.length;
  }

  #startTag(at: number): number {
    const text = this.#text;
    const isForeign = this.#open.context !== "html";
    const nameEnd = this.#nameEnd(at + 1);
    if (nameEnd === text.length) {
      // Whatever might still have become a tag like <script> is text from its name on; other tags are dropped.
      const name = text.slice(at + 1).toLowerCase();
      if (!isForeign && SPECIAL_NAMES.some((special) => special.startsWith(name))) {
        this.#sink.text(at + 1, text.length, false);
      }
      return text.length;
    }
    const kind = this.#kindOf(at + 1, nameEnd);
    // A form inside of a form is not there.
    const isIgnored = kind === FORM && this.#open.isOpen(FORM);
    const { ends } = kind;
    if (ends !== undefined && !isIgnored) {
      for (
        let top = this.#open.innermost;
        top !== undefined && ends[top.id] === 1;
        top = this.#open.innermost
      ) {
        this.#pop(at);
      }
    }
    const inside = this.attributes.read(nameEnd);
    if (inside === -1) {
      if (this.attributes.endsWithSlash) this.#leftOver();
      return text.length;
    }
    if (!isIgnored) {
      this.#sink.opens(kind, at, inside);
      if (kind.isVoid) this.#sink.closes(kind, inside);
      else {
        this.#open.push(kind);
        if (this.attributes.endsWithSlash && this.#open.context !== "html") this.#pop(inside);
      }
    }
    return isForeign || kind.content === "markup" || this.isStopped ? inside : this.#rawContent(kind, inside);
  }

  #hash = 0;
  /** Leaves the name's hash behind, or 0 where it is not ASCII. */
  #nameEnd(from: number): number {
    const text = this.#text;
    const { length } = text;
    let at = from;
    let hash = 0;
    let codes = 0;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      if (isNameEnd(code)) break;
      codes |= code;
      hash = hashed(hash, lowerCase(code));
    }
    this.#hash = codes < 128 ? hash : 0;
    return at;
  }

  #kindOf(from: number, to: number): TagKind {
    const text = this.#text;
    const known = this.#hash === 0 ? undefined : kindAt(text, from, to, this.#hash);
    const kind = known ?? this.#open.kindNamed(text.slice(from, to).toLowerCase());
    if (!this.#open.hasContexts) return kind === IMAGE ? IMG : kind;
    const { context } = this.#open;
    if (context === "svg") return kind.inSvg ?? kind;
    if (kind.inSvg !== undefined && this.#open.isOpen(kind.inSvg)) return kind.inSvg;
    return kind === IMAGE && context === "html" ? IMG : kind;
  }

  #endTag(at: number): number {
    const text = this.#text;
    const first = text.charCodeAt(at + 2);
    if (first === GREATER) return at + 3;
    if (!isLetter(first)) return this.#pastGreater(at + 3);
    const nameEnd = this.#nameEnd(at + 2);
    if (nameEnd === text.length) return nameEnd;
    return this.#endTagNamed(at, at + 2, nameEnd);
  }

  #endTagNamed(at: number, nameFrom: number, nameTo: number): number {
    const kind = this.#kindOf(nameFrom, nameTo);
    if (kind.isVoid) {
      if (kind === BR) this.#opensEmpty(BR, at, nameTo);
    } else if (this.#open.isOpen(kind)) {
      while (this.#pop(at) !== kind);
    } else if (kind === P) this.#opensEmpty(P, at, nameTo);
    if (this.#text.charCodeAt(nameTo) === GREATER) return nameTo + 1;
    const end = this.#text.indexOf(">", nameTo);
    if (end !== -1) return end + 1;
    this.#leftOver();
    return this.#text.length;
  }

  /** As htmlparser2 has it: of some tags that never end, the last character of the page is left as text. */
  #leftOver(): void {
    this.#sink.text(this.#text.length - 1, this.#text.length, false);
  }

  #rawContent(kind: TagKind, inside: number): number {
    const text = this.#text;
    if (kind.content === "plain") {
      if (inside < text.length) this.#sink.text(inside, text.length, false);
      return text.length;
    }
    const end = scanRawContent(text, kind.name, inside, kind.content === "escapable", this.#sink);
    return end === -1 ? text.length : this.#endTagNamed(end, end + 2, this.#nameEnd(end + 2));
  }

  #pop(at: number): TagKind | undefined {
    const kind = this.#open.pop();
    if (kind !== undefined) this.#sink.closes(kind, at);
    return kind;
  }

  /** An end tag that stands for a whole element. */
  #opensEmpty(kind: TagKind, at: number, nameTo: number): void {
    const inside = this.#pastGreater(nameTo);
    this.attributes.readNone();
    this.#sink.opens(kind, at, inside);
    this.#sink.closes(kind, inside);
  }
}
