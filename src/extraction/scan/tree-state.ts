import { type FormattingEntry, FormattingList } from "./formatting.ts";
import type { PageCodes } from "./markup.ts";
import { OpenStack } from "./open-stack.ts";
import type { TagAttributes } from "./tag-attributes.ts";
import { BUTTON_SCOPE, IMPLIED, knownKinds, SCOPE, SPECIAL, type TagKind } from "./tag-kind.ts";

/** Receives the elements and texts of a page in tree order, without comments and doctypes. */
export interface ScanSink {
  /**
   * `at` is where its start tag begins, `inside` where its content begins; its attributes are in `scanner.attributes`. An element
   * without a tag is placed at the markup that implies it.
   */
  opens(kind: TagKind, at: number, inside: number): void;
  /** The innermost open element ends before `at`. */
  closes(kind: TagKind, at: number): void;
  text(from: number, to: number, hasEntities: boolean): void;
}

/** Why a page needs repair that a single pass cannot do. */
export type RepairReason =
  | "content moved out of a table"
  | "misnested formatting"
  | "attributes of a second html or body"
  | "table parts in a template"
  | "markup in a select"
  | "rare markup"
  | "NUL characters"
  | "unusual doctype"
  | "character reference for white space"
  | "deep nesting";

/** The standard's insertion modes, without those of framesets and templates, and with one for all that follows the body. */
export type Mode =
  | "initial"
  | "before html"
  | "before head"
  | "in head"
  | "in head noscript"
  | "after head"
  | "in body"
  | "in table"
  | "in caption"
  | "in column group"
  | "in table body"
  | "in row"
  | "in cell"
  | "in select"
  | "after body";

const { BODY, P, TABLE, TEMPLATE } = knownKinds("BODY P TABLE TEMPLATE");

export interface LateBody {
  readonly at: number;
  readonly nameEnd: number;
}

export interface ScanOptions {
  /** Never asks for repair and keeps everything in place: for a page whose repair would not end. */
  readonly isLenient?: boolean;
  /** Found by an earlier pass: a body that begins without a tag gets these attributes. */
  readonly lateBody?: LateBody | undefined;
}

/** The stack of open elements, and the operations that the rules of tree construction use. */
export class TreeState extends OpenStack {
  readonly text: string;
  readonly codes: PageCodes;
  readonly attributes: TagAttributes;
  readonly #sink: ScanSink;
  readonly #isLenient: boolean;
  /** A body tag after the body began without one: where it begins and its name ends. */
  lateBody: LateBody | undefined;
  mode: Mode = "initial";
  isQuirks: boolean | undefined = true;
  reason: RepairReason | undefined;

  /** The current tag or text: where it begins, and where a tag's name and the tag end. */
  at = 0;
  nameEnd = 0;
  inside = 0;
  isSelfClosing = false;
  /** Whether `attributes` holds those of the current tag. */
  isRead = false;
  /** The element whose content must be read as text; set by the rule that inserts it. */
  raw: TagKind | undefined;
  /** Ignore a line break right after the current tag. */
  skipsLineBreak = false;

  readonly formatting = new FormattingList();
  readonly #mostSteps: number;
  #reopened = 0;
  /** The form that controls belong to, until its end tag. */
  form: { readonly slot: number; readonly serial: number } | undefined;
  #hasBodyTag = true;
  #headEnd = 0;
  readonly #blanks: number[] = [];
  /** The body can no longer be replaced by a frameset. */
  isBodySure = false;

  constructor(
    text: string,
    codes: PageCodes,
    attributes: TagAttributes,
    sink: ScanSink,
    { isLenient = false, lateBody }: ScanOptions,
  ) {
    super();
    this.text = text;
    this.codes = codes;
    this.attributes = attributes;
    this.#sink = sink;
    this.#isLenient = isLenient;
    this.lateBody = lateBody;
    this.#mostSteps = 500_000 + 2 * text.length;
  }

  leave(reason: RepairReason): void {
    if (!this.#isLenient) this.reason ??= reason;
  }

  /** Gives up on a page that makes searches visit too many elements. */
  checkCosts(): void {
    if (this.steps + this.formatting.steps > this.#mostSteps) this.leave("deep nesting");
  }

  /** Of the current tag. */
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

  /** The element of the current tag. */
  insert(kind: TagKind): void {
    this.#read();
    this.push(kind, this.mode);
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
    this.push(kind, this.mode);
    this.#sink.opens(kind, this.at, this.at);
  }

  /** A body without a tag; some pages have the tag later. */
  insertBody(): void {
    if (this.lateBody === undefined) this.insertImplied(BODY);
    else {
      this.attributes.read(this.lateBody.nameEnd);
      this.isRead = false;
      this.push(BODY, this.mode);
      this.#sink.opens(BODY, this.at, this.at);
    }
    this.#hasBodyTag = false;
  }

  /** A tag of a body that is already open: it adds the attributes that the body lacks. */
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

  pop(at = this.at): void {
    this.#sink.closes(this.drop(), at);
    if (this.isEndedOnTop) this.pop(at);
  }

  /** Closes the element in a slot and all that is open inside it. */
  popTo(slot: number): void {
    while (this.top >= slot && this.top > 0) this.pop();
  }

  /** Closes it, and returns to the mode in which it began. */
  popWithMode(slot: number): void {
    const mode = this.modes[slot] ?? "in body";
    this.popTo(slot);
    this.mode = mode;
  }

  popImplied(except?: TagKind): void {
    while ((this.current.flags & IMPLIED) !== 0 && this.current !== except) this.pop();
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

  /** The head ends, but stays open for elements that still belong in it. */
  endHead(): void {
    this.#headEnd = this.at;
    this.mode = "after head";
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

  /** Closes a form while elements inside it stay open. */
  endForm(slot: number): void {
    if (slot === this.top) this.pop();
    else this.endBelow(slot);
  }

  insertFormatting(kind: TagKind): void {
    const { at, nameEnd, inside } = this;
    this.insert(kind);
    if (this.#isLenient) return;
    const entry: FormattingEntry = { kind, at, nameEnd, inside, slot: this.top, serial: this.serial };
    this.formatting.push(entry, (other) => this.#attributesOf(other));
  }

  /** Sorted, so that the order in the tag does not matter. */
  #attributesOf({ nameEnd }: FormattingEntry): string {
    this.attributes.read(nameEnd);
    this.isRead = false;
    return JSON.stringify(
      this.attributes.list(this.attributes.first, this.attributes.end).sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }

  /**
   * Whether a block that is open now may still be moved out of a formatting element around it. A table may not: formatting around it
   * cannot end before the table does.
   */
  hasMovableBlocks(): boolean {
    return this.formatting.some((entry) => {
      if (!this.isOpen(entry)) return false;
      let slot = entry.slot + 1;
      while (slot <= this.top && ((this.kinds[slot]?.flags ?? 0) & SPECIAL) === 0) slot++;
      return slot <= this.top && ((this.kinds[slot]?.flags ?? 0) & SCOPE) === 0;
    });
  }

  /** Reopens formatting elements that ended only because the elements around them did. */
  reopenFormatting(): void {
    const { newest } = this.formatting;
    if (newest === undefined || this.isOpen(newest)) return;
    for (const entry of this.formatting.lapsed((other) => this.isOpen(other))) {
      this.attributes.read(entry.nameEnd);
      this.isRead = false;
      this.push(entry.kind, this.mode);
      entry.slot = this.top;
      entry.serial = this.serial;
      this.#sink.opens(entry.kind, entry.at, this.at);
      if (++this.#reopened <= mostElements(this.text)) continue;
      this.leave("deep nesting");
      return;
    }
  }
}

/** Formatting that is reopened again and again makes a tree that grows with the square of its page. */
export const mostElements = (text: string): number => 50_000 + (text.length >> 2);
