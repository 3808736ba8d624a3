import {
  asciiLowerCase,
  BANG,
  GREATER,
  isLetter,
  isQuirksDoctype,
  LESS,
  type PageCodes,
  pastDeclaration,
  pastGreater,
  QUESTION,
  rawContentEnd,
  releaseCodes,
  SLASH,
  takeCodes,
} from "./markup.ts";
import { pastTables } from "./past-tables.ts";
import { TagAttributes } from "./tag-attributes.ts";
import { knownKinds, type TagKind, TagName } from "./tag-kind.ts";
import { beginsWithSpace, endPage, endTag, isForeignText, startTag, textRun } from "./tree-rules.ts";
import {
  type LateBody,
  type RepairReason,
  type ScanOptions,
  type ScanSink,
  TreeState,
} from "./tree-state.ts";

const LINE_FEED = 10;
const RETURN = 13;
const { BODY, HTML, TABLE } = knownKinds("BODY HTML TABLE");
const SECOND_BODY = /<(?:html|body)[\s/>]/gi;

/**
 * Reads a page as a browser does (WHATWG HTML, scripting off), but makes no strings: it passes positions in the text to a sink. It can
 * only add to the end of the tree. Where the standard moves or changes earlier parts, it stops with a `reason`, and the sink must discard
 * what it received. See docs/decisions/0014.
 *
 * It works on decoded text: reading bytes would require knowing every charset, and decoding takes 1 µs for a 12 kB page.
 */
export class HtmlScanner {
  /** Those of the last start tag; a sink that needs no earlier ones calls `forget`. */
  readonly attributes: TagAttributes;
  readonly #text: string;
  readonly #codes: PageCodes;
  readonly #state: TreeState;
  /** Set by the sink to stop at once. */
  isStopped = false;
  /** Set by the sink when it has all it needs, unless something that follows changes it. */
  isDone = false;
  /** Where the last end tag of the body begins. */
  #bodyEnd = 0;

  constructor(text: string, sink: ScanSink, options: ScanOptions = {}) {
    this.#text = text;
    this.#codes = takeCodes(text);
    this.attributes = new TagAttributes(text, this.#codes);
    this.#state = new TreeState(text, this.#codes, this.attributes, sink, options);
    if (text.includes("\0")) this.#state.leave("NUL characters");
  }

  /** Why the page cannot be read in one pass; undefined if it can. */
  get reason(): RepairReason | undefined {
    return this.#state.reason;
  }

  get isInTemplate(): boolean {
    return this.#state.isInTemplate;
  }

  /** Whether a control here belongs to the last form. */
  get hasForm(): boolean {
    return this.#state.form !== undefined && !this.#state.isInTemplate;
  }

  /** A second pass with this may succeed: see `ScanOptions`. */
  get lateBody(): LateBody | undefined {
    return this.#state.reason === undefined ? undefined : this.#state.lateBody;
  }

  run(): void {
    if (this.reason === undefined) this.#run();
    this.#state.release();
    releaseCodes(this.#codes);
  }

  #run(): void {
    const text = this.#text;
    const codes = this.#codes;
    const state = this.#state;
    let textFrom = 0;
    let at = text.indexOf("<");
    while (at !== -1) {
      const next = codes[at + 1] ?? 0;
      const isStart = isLetter(next);
      // `a < b`, and `</` at the end of the page, are text.
      if (!isStart && !(next === SLASH ? at + 2 < text.length : next === BANG || next === QUESTION)) {
        at = text.indexOf("<", at + 1);
        continue;
      }
      if (at > textFrom) this.#textRun(textFrom, at, true);
      if (isStart) textFrom = this.#startTag(at);
      else if (next === SLASH) textFrom = this.#endTag(at);
      else textFrom = this.#declaration(at);
      if (this.isStopped || state.reason !== undefined) return;
      if (this.isDone && this.#isSettled(textFrom)) return;
      state.checkCosts();
      at = codes[textFrom] === LESS ? textFrom : text.indexOf("<", textFrom);
    }
    if (textFrom < text.length) this.#textRun(textFrom, text.length, true);
    endPage(state, this.#isAfterBody ? this.#bodyEnd : text.length);
  }

  #textRun(from: number, to: number, hasEntities: boolean): void {
    this.#state.at = from;
    textRun(this.#state, from, to, hasEntities);
  }

  #declaration(at: number): number {
    const text = this.#text;
    if (text.startsWith("<![CDATA[", at) && isForeignText(this.#state)) {
      const end = text.indexOf("]]>", at + 9);
      const to = end === -1 ? text.length : end;
      if (to > at + 9) this.#state.insertText(at + 9, to, false);
      return end === -1 ? to : end + 3;
    }
    const end = pastDeclaration(text, at);
    if (this.#state.mode === "initial" && /^<!doctype/i.test(text.slice(at, at + 9))) {
      this.#state.mode = "before html";
      this.#state.isQuirks = isQuirksDoctype(text.slice(at, end));
    }
    return end;
  }

  #startTag(at: number): number {
    const state = this.#state;
    const kind = this.#kindAt(at + 1);
    const nameEnd = this.#name.end;
    const inside = this.attributes.read(nameEnd);
    // A tag that the page ends in is ignored.
    if (inside === -1) return this.#text.length;
    state.at = at;
    state.nameEnd = nameEnd;
    state.inside = inside;
    state.isSelfClosing = this.attributes.endsWithSlash;
    state.isRead = true;
    startTag(state, kind);
    if (state.raw === undefined && !state.skipsLineBreak) return inside;
    const from = this.#pastLineBreak(inside);
    if (state.raw === undefined || this.isStopped) return from;
    const { raw } = state;
    state.raw = undefined;
    return this.#rawContent(raw, from);
  }

  /** A line break at the start of a `<pre>` or `<textarea>` is ignored. */
  #pastLineBreak(from: number): number {
    if (!this.#state.skipsLineBreak) return from;
    this.#state.skipsLineBreak = false;
    const code = this.#text.charCodeAt(from);
    if (code === RETURN) return this.#text.charCodeAt(from + 1) === LINE_FEED ? from + 2 : from + 1;
    if (code === LINE_FEED) return from + 1;
    if (beginsWithSpace(this.#text, from, from + 1)) this.#state.leave("character reference for white space");
    return from;
  }

  readonly #name = new TagName();

  #kindAt(from: number): TagKind {
    const name = this.#name;
    name.read(this.#codes, from, this.#text.length);
    return name.kind ?? this.#state.ownKind(asciiLowerCase(this.#text.slice(from, name.end)));
  }

  #endTag(at: number): number {
    const text = this.#text;
    const first = this.#codes[at + 2] ?? 0;
    if (first === GREATER) return at + 3;
    if (!isLetter(first)) return pastGreater(text, at + 2);
    const kind = this.#kindAt(at + 2);
    const nameEnd = this.#name.end;
    // It may have attributes, and a `>` in them.
    const inside = this.#codes[nameEnd] === GREATER ? nameEnd + 1 : this.attributes.read(nameEnd);
    if (inside === -1) return text.length;
    const state = this.#state;
    state.at = at;
    state.inside = inside;
    if (kind === BODY || kind === HTML) this.#endBody(kind);
    else endTag(state, kind);
    return inside;
  }

  #endBody(kind: TagKind): void {
    const wasAfterBody = this.#isAfterBody;
    endTag(this.#state, kind);
    if (!wasAfterBody && this.#isAfterBody) this.#bodyEnd = this.#state.at;
  }

  get #isAfterBody(): boolean {
    return this.#state.mode === "after body";
  }

  #rawContent(kind: TagKind, from: number): number {
    const text = this.#text;
    const end = rawContentEnd(text, kind, from);
    const to = end === -1 ? text.length : end;
    if (to > from) this.#state.insertText(from, to, kind.content === "escapable");
    this.#state.pop(to);
    const inside = end === -1 ? -1 : this.attributes.read(end + 2 + kind.name.length);
    return inside === -1 ? text.length : inside;
  }

  #isSure = true;
  #hasLookedAhead = false;
  /** Whether nothing that follows can move or change what has been read: an open table, open formatting, a second body. */
  #isSettled(from: number): boolean {
    const state = this.#state;
    if (!this.#isSure || !state.isBodySure || state.hasMovableBlocks()) return false;
    let end = from;
    if (state.topOf(TABLE) !== 0) {
      if (this.#hasLookedAhead) return false;
      this.#hasLookedAhead = true;
      end = pastTables(state, from);
      if (end === -1) return false;
    }
    SECOND_BODY.lastIndex = end;
    this.#isSure = !SECOND_BODY.test(this.#text);
    return this.#isSure;
  }
}
