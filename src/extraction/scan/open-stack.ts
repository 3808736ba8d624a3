import { KNOWN_KINDS, SCOPE, SPECIAL, TagKind } from "./tag-kind.ts";
import type { Mode } from "./tree-state.ts";

/** Below the outermost element; ends every search. */
const NONE = new TagKind("", KNOWN_KINDS, SPECIAL | SCOPE);
/** A form that ended while elements in it were open: invisible on the stack, closed with the last of them. */
const ENDED_FORM = new TagKind("form", KNOWN_KINDS + 1);
const FIRST_OWN = KNOWN_KINDS + 2;
const OWN_KINDS = 16;

/** Arrays that the next page can reuse. */
interface StackParts {
  /** By slot: its kind, the mode before it was pushed, the next lower slot of the same kind, a unique number. */
  readonly kinds: TagKind[];
  readonly modes: Mode[];
  readonly below: number[];
  readonly serials: number[];
  /** By kind: its topmost slot, 0 for none. */
  tops: Int32Array;
}

let spare: StackParts | undefined;

function takeParts(): StackParts {
  const parts = spare;
  spare = undefined;
  const tops = new Int32Array(parts === undefined ? (FIRST_OWN + OWN_KINDS) * 2 : 0);
  return parts ?? { kinds: [NONE], modes: ["initial"], below: [0], serials: [0], tops };
}

/** The standard's stack of open elements. Slots begin at 1. */
export class OpenStack {
  readonly #parts = takeParts();
  readonly kinds = this.#parts.kinds;
  readonly modes = this.#parts.modes;
  readonly serials = this.#parts.serials;
  readonly #below = this.#parts.below;
  #tops = this.#parts.tops;
  top = 0;
  current: TagKind = NONE;
  serial = 0;
  /** How many elements were visited in searches. */
  steps = 0;
  #ownKinds: Map<string, TagKind> | undefined;

  topOf(kind: TagKind): number {
    return this.#tops[kind.key] ?? 0;
  }

  isOpen({ slot, serial }: { readonly slot: number; readonly serial: number }): boolean {
    return slot <= this.top && this.serials[slot] === serial;
  }

  /** An unknown name, in lower case, gets a kind of its own on this page. */
  ownKind(name: string): TagKind {
    const own = this.#ownKinds?.get(name);
    if (own !== undefined) return own;
    this.#ownKinds ??= new Map();
    const kind = new TagKind(name, FIRST_OWN + this.#ownKinds.size);
    this.#ownKinds.set(name, kind);
    if (kind.key + 2 > this.#tops.length) {
      const longer = new Int32Array(this.#tops.length * 2);
      longer.set(this.#tops);
      this.#tops = longer;
    }
    return kind;
  }

  push(kind: TagKind, mode: Mode): void {
    const slot = ++this.top;
    this.kinds[slot] = kind;
    this.modes[slot] = mode;
    this.#below[slot] = this.#tops[kind.key] ?? 0;
    this.#tops[kind.key] = slot;
    this.serials[slot] = ++this.serial;
    this.current = kind;
  }

  /** Returns the element that was on top. */
  drop(): TagKind {
    const kind = this.current;
    this.#tops[kind.key] = this.#below[this.top] ?? 0;
    this.current = this.kinds[--this.top] ?? NONE;
    return kind;
  }

  get isEndedOnTop(): boolean {
    return this.current === ENDED_FORM;
  }

  /** Takes a form off the stack while elements inside it stay open. */
  endBelow(slot: number): void {
    const { key } = this.kinds[slot] ?? NONE;
    this.#tops[key] = this.#below[slot] ?? 0;
    this.kinds[slot] = ENDED_FORM;
    this.#below[slot] = 0;
  }

  /** Whether some element above a slot has one of the flags. */
  hasAbove(slot: number, flags: number): boolean {
    let above = this.top;
    while (above > slot && ((this.kinds[above]?.flags ?? 0) & flags) === 0) above--;
    this.steps += this.top - above;
    return above > slot;
  }

  /** The slot of the topmost element of a kind; 0 if none is in the scope that the flags end. */
  inScope(kind: TagKind, flags: number): number {
    const slot = this.#tops[kind.key] ?? 0;
    return slot === 0 || slot === this.top || !this.hasAbove(slot, flags) ? slot : 0;
  }

  /** Leaves its arrays to the next page. */
  release(): void {
    while (this.top > 0) this.drop();
    this.#parts.tops = this.#tops;
    // A page nested without limit would keep its memory for ever.
    if (this.kinds.length < 1000) spare = this.#parts;
  }
}
