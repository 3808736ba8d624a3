import { FormattingList } from "./formatting-list.ts";
import type { FormattingEntry } from "./formatting-list.ts";
import type { TagAttributes } from "./tag-attributes.ts";
import {
  BUTTON_SCOPE,
  IMPLIED,
  KNOWN_KINDS,
  knownKind,
  newKind,
  SCOPE,
  SPECIAL,
  TagKind,
} from "./tag-kind.ts";

/** What a page consists of, in the order of the tree. Comments, doctypes and the like are left out. */
export interface ScanSink {
  /**
   * `at` is where its start tag begins, `inside` where its content does; its attributes are in `scanner.attributes`. An element
   * without a tag of its own stands where the markup is that implies it.
   */
  opens(kind: TagKind, at: number, inside: number): void;
  /** The innermost open element ends before `at`. */
  closes(kind: TagKind, at: number): void;
  text(from: number, to: number, hasEntities: boolean): void;
}

/** The standard's insertion modes, without those of framesets. */
export const INITIAL = 0;
export const BEFORE_HTML = 1;
export const BEFORE_HEAD = 2;
export const IN_HEAD = 3;
export const IN_HEAD_NOSCRIPT = 4;
export const AFTER_HEAD = 5;
export const IN_BODY = 6;
export const IN_TABLE = 7;
export const IN_CAPTION = 8;
export const IN_COLGROUP = 9;
export const IN_TABLE_BODY = 10;
export const IN_ROW = 11;
export const IN_CELL = 12;
export const IN_SELECT = 13;
export const IN_SELECT_IN_TABLE = 14;
export const IN_TEMPLATE = 15;
export const AFTER_BODY = 16;
export const AFTER_AFTER_BODY = 17;

/** Why a page needs repair that cannot be made in the order of its text. */
export type RepairReason =
  | "content moved out of a table"
  | "misnested formatting"
  | "attributes of a second html or body"
  | "frameset"
  | "table parts in a template"
  | "NUL characters"
  | "unusual doctype"
  | "character reference for white space"
  | "deep nesting";

const BODY = knownKind("body");
const P = knownKind("p");
const TABLE = knownKind("table");
const TEMPLATE = knownKind("template");
const FORM = knownKind("form");
/** Below the outermost element; nothing is looked for beyond it. */
const NONE = new TagKind("", KNOWN_KINDS, 0, SPECIAL | SCOPE, 0);
/** A form that ended while elements in it were open: no longer on the stack to anyone, closed with the last of them. */
const ENDED_FORM = new TagKind("form", KNOWN_KINDS + 1, 0, 0, 0);
const FIRST_OWN = KNOWN_KINDS + 2;
const OWN_KINDS = 16;

export interface LateBody {
  readonly at: number;
  readonly nameEnd: number;
}

export interface ScanOptions {
  /** Everything is taken where it stands, no repair is asked for: for a page whose repair would have no end. */
  readonly isLenient?: boolean;
  /** As an earlier pass over the page found it: a body that begins without a tag has these attributes. */
  readonly lateBody?: LateBody | undefined;
}

/** The stack of open elements, and what every rule of tree construction does with it. Slots begin at 1. */
export class TreeState {
  readonly text: string;
  readonly attributes: TagAttributes;
  readonly #sink: ScanSink;
  readonly #isLenient: boolean;
  /** The tag that comes after the body began without one: where it begins and its name ends. */
  lateBody: LateBody | undefined;
  mode = INITIAL;
  isQuirks: boolean | undefined = true;
  reason: RepairReason | undefined;

  /** Of the tag or text at hand: where it begins, where a tag's name and the tag end. */
  at = 0;
  nameEnd = 0;
  inside = 0;
  isSelfClosing = false;
  /** Whether `attributes` has those of the tag at hand. */
  isRead = false;
  /** The element whose content is to be read as text; set by the rule that inserts it. */
  raw: TagKind | undefined;
  /** A line break right after the tag at hand is not there. */
  skipsLineBreak = false;

  top = 0;
  current: TagKind = NONE;
  readonly kinds: TagKind[] = [NONE];
  /** By slot: the mode before it was pushed, the next lower slot of the same kind, a number that no other element has. */
  readonly modes: number[] = [INITIAL];
  readonly #below: number[] = [0];
  readonly serials: number[] = [0];
  #serial = 0;
  /** By kind: its topmost slot, 0 for none. */
  #tops = new Int32Array((FIRST_OWN + OWN_KINDS) * 3);
  #ownKinds: Map<string, TagKind> | undefined;
  readonly formatting = new FormattingList();
  #steps = 0;
  #reopened = 0;
  /** The form that controls belong to, until its end tag. */
  form: { readonly slot: number; readonly serial: number } | undefined;
  #hasBodyTag = true;
  #headEnd = 0;
  readonly #blanks: number[] = [];
  /** The body cannot be replaced by a frameset any more. */
  isBodySure = false;

  constructor(
    text: string,
    attributes: TagAttributes,
    sink: ScanSink,
    { isLenient = false, lateBody }: ScanOptions,
  ) {
    this.text = text;
    this.attributes = attributes;
    this.#sink = sink;
    this.#isLenient = isLenient;
    this.lateBody = lateBody;
  }

  leave(reason: RepairReason): void {
    if (!this.#isLenient) this.reason ??= reason;
  }

  /** Elements outside of each other were gone over so often that a page without bounds could take any time. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps + this.formatting.steps > 500_000 + 2 * this.text.length) this.leave("deep nesting");
  }

  topOf(kind: TagKind): number {
    return this.#tops[kind.key] ?? 0;
  }

  isOpen({ slot, serial }: { readonly slot: number; readonly serial: number }): boolean {
    return slot <= this.top && this.serials[slot] === serial;
  }

  /** The kind of a name in lower case; a name that nobody knows has one of its own on this page. */
  ownKind(name: string): TagKind {
    const own = this.#ownKinds?.get(name);
    if (own !== undefined) return own;
    this.#ownKinds ??= new Map();
    const kind = newKind(name, FIRST_OWN + this.#ownKinds.size);
    this.#ownKinds.set(name, kind);
    if (kind.key + 3 > this.#tops.length) {
      const longer = new Int32Array(this.#tops.length * 2);
      longer.set(this.#tops);
      this.#tops = longer;
    }
    return kind;
  }

  /** Of the tag at hand. */
  attribute(name: string): string | undefined {
    this.#read();
    const { attributes } = this;
    const place = attributes.find(attributes.first, attributes.end, name);
    return place === -1 ? undefined : attributes.valueAt(place);
  }

  #read(): void {
    if (this.isRead) return;
    this.attributes.read(this.nameEnd);
    this.isRead = true;
  }

  hasAttributes(): boolean {
    this.#read();
    return this.attributes.end > this.attributes.first;
  }

  /** The element of the tag at hand. */
  insert(kind: TagKind): void {
    this.#read();
    this.#push(kind);
    this.isRead = false;
    this.#sink.opens(kind, this.at, this.inside);
  }

  insertVoid(kind: TagKind): void {
    this.#read();
    this.isRead = false;
    this.#sink.opens(kind, this.at, this.inside);
    this.#sink.closes(kind, this.inside);
  }

  insertImplied(kind: TagKind): void {
    this.attributes.readNone();
    this.isRead = false;
    this.#push(kind);
    this.#sink.opens(kind, this.at, this.at);
  }

  /** A body that begins without its tag; some pages have the tag later. */
  insertBody(): void {
    if (this.lateBody === undefined) this.insertImplied(BODY);
    else {
      this.attributes.read(this.lateBody.nameEnd);
      this.isRead = false;
      this.#push(BODY);
      this.#sink.opens(BODY, this.at, this.at);
    }
    this.#hasBodyTag = false;
  }

  /** A tag of a body that is there already: it adds the attributes that the body has not. */
  mergeBody(): void {
    this.isBodySure = true;
    if (!this.hasAttributes() || this.lateBody?.at === this.at) return;
    if (!this.#hasBodyTag && this.lateBody === undefined)
      this.lateBody = { at: this.at, nameEnd: this.nameEnd };
    this.leave("attributes of a second html or body");
  }

  insertRaw(kind: TagKind): void {
    this.insert(kind);
    this.raw = kind;
  }

  insertText(from: number, to: number, hasEntities: boolean): void {
    this.#sink.text(from, to, hasEntities);
  }

  #push(kind: TagKind): void {
    const slot = ++this.top;
    this.kinds[slot] = kind;
    this.modes[slot] = this.mode;
    this.#below[slot] = this.#tops[kind.key] ?? 0;
    this.#tops[kind.key] = slot;
    this.serials[slot] = ++this.#serial;
    this.current = kind;
  }

  pop(at = this.at): void {
    const kind = this.current;
    this.#tops[kind.key] = this.#below[this.top] ?? 0;
    this.current = this.kinds[--this.top] ?? NONE;
    this.#sink.closes(kind, at);
    if (this.current === ENDED_FORM) this.pop(at);
  }

  /** Ends the element in a slot with all that is open in it. */
  popTo(slot: number): void {
    while (this.top >= slot && this.top > 0) this.pop();
  }

  /** Ends it, and goes back to the mode in which it began. */
  popWithMode(slot: number): void {
    const mode = this.modes[slot] ?? IN_BODY;
    this.popTo(slot);
    this.mode = mode;
  }

  popImplied(except?: TagKind): void {
    while ((this.current.flags & IMPLIED) !== 0 && this.current !== except) this.pop();
  }

  /** Whether some element above a slot has one of the flags. */
  hasAbove(slot: number, flags: number): boolean {
    let above = this.top;
    while (above > slot && ((this.kinds[above]?.flags ?? 0) & flags) === 0) above--;
    this.spend(this.top - above);
    return above > slot;
  }

  /** The slot of the topmost element of a kind, 0 where there is none in the scope that the flags end. */
  inScope(kind: TagKind, flags: number): number {
    const slot = this.topOf(kind);
    return slot === 0 || slot === this.top || !this.hasAbove(slot, flags) ? slot : 0;
  }

  inTableScope(kind: TagKind): number {
    const slot = this.topOf(kind);
    return slot >= this.topOf(TABLE) && slot > this.topOf(TEMPLATE) ? slot : 0;
  }

  get isInTemplate(): boolean {
    return this.topOf(TEMPLATE) !== 0;
  }

  closeParagraph(): void {
    const slot = this.inScope(P, SCOPE | BUTTON_SCOPE);
    if (slot !== 0) this.popTo(slot);
  }

  /** The head ends, and stays open for what still belongs in it. */
  endHead(): void {
    this.#headEnd = this.at;
    this.mode = AFTER_HEAD;
  }

  /** White space between head and body. */
  keepBlank(from: number, to: number): void {
    this.#blanks.push(from, to);
  }

  leaveHead(): void {
    this.pop(this.#headEnd);
    for (let at = 0; at < this.#blanks.length; at += 2)
      this.#sink.text(this.#blanks[at] ?? 0, this.#blanks[at + 1] ?? 0, false);
  }

  /** Ends a form while others inside of it stay open. */
  endForm(slot: number): void {
    if (slot === this.top) {
      this.pop();
      return;
    }
    this.#tops[FORM.key] = this.#below[slot] ?? 0;
    this.kinds[slot] = ENDED_FORM;
    this.#below[slot] = 0;
  }

  insertFormatting(kind: TagKind): void {
    const { at, nameEnd, inside } = this;
    this.insert(kind);
    if (this.#isLenient) return;
    const entry: FormattingEntry = { kind, at, nameEnd, inside, slot: this.top, serial: this.#serial };
    this.formatting.push(entry, (other) => this.#attributesOf(other));
    this.spend(0);
  }

  /** In an order that does not depend on that in the tag. */
  #attributesOf({ nameEnd }: FormattingEntry): string {
    this.attributes.read(nameEnd);
    this.isRead = false;
    return JSON.stringify(this.attributes.list(this.attributes.first, this.attributes.end).sort());
  }

  /** Opens the formatting elements again that ended only because what was around them did. */
  reopenFormatting(): void {
    const { newest } = this.formatting;
    if (newest === undefined || this.isOpen(newest)) return;
    for (const entry of this.formatting.lapsed((other) => this.isOpen(other))) {
      this.attributes.read(entry.nameEnd);
      this.isRead = false;
      this.#push(entry.kind);
      entry.slot = this.top;
      entry.serial = this.#serial;
      this.#sink.opens(entry.kind, entry.at, this.at);
      if (++this.#reopened <= mostElements(this.text)) continue;
      this.leave("deep nesting");
      return;
    }
  }
}

/** Formatting that is opened again and again makes a tree that grows with the square of its page. */
export const mostElements = (text: string): number => 50_000 + (text.length >> 2);
