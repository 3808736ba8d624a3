import { knownKinds, SCOPE, SPECIAL, type TagKind } from "./tag-kind.ts";
import type { TreeState } from "./tree-state.ts";

/** An element such as `<b>` that is opened again if it was still open when the elements around it ended. */
export interface FormattingEntry {
  readonly kind: TagKind;
  /** Where its start tag begins, where its name ends, and where its content begins. */
  readonly at: number;
  readonly nameEnd: number;
  readonly inside: number;
  /** Its slot on the stack, now or once; the serial number tells whether it still holds it. */
  slot: number;
  serial: number;
}

/** At most this many elements of one kind with the same attributes are opened again. */
const MOST_ALIKE = 3;

/** The standard's list of active formatting elements. Cells and the like set a marker: entries before it are not opened again inside. */
export class FormattingList {
  readonly #entries: (FormattingEntry | undefined)[] = [];
  /** How many entries were looked at. */
  steps = 0;

  /** The newest entry; undefined for a marker or an empty list. */
  get newest(): FormattingEntry | undefined {
    const { length } = this.#entries;
    return length === 0 ? undefined : this.#entries[length - 1];
  }

  mark(): void {
    this.#entries.push(undefined);
  }

  clearToMarker(): void {
    while (this.#entries.length > 0 && this.#entries.pop() !== undefined);
  }

  push(entry: FormattingEntry, attributesOf: (entry: FormattingEntry) => string): void {
    const alike = this.#ofKind(entry.kind);
    if (alike.length >= MOST_ALIKE) {
      const wanted = attributesOf(entry);
      const same = alike.filter((other) => {
        this.steps += 10 * (other.inside - other.nameEnd);
        return attributesOf(other) === wanted;
      });
      if (same.length >= MOST_ALIKE) this.remove(same.at(-1)!);
    }
    this.#entries.push(entry);
  }

  /** The entries of a kind after the last marker, newest first. */
  #ofKind(kind: TagKind): FormattingEntry[] {
    const found: FormattingEntry[] = [];
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at];
      if (entry === undefined) break;
      this.steps++;
      if (entry.kind === kind) found.push(entry);
    }
    return found;
  }

  /** The newest entry of a kind after the last marker. */
  find(kind: TagKind): FormattingEntry | undefined {
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at];
      if (entry === undefined) return undefined;
      this.steps++;
      if (entry.kind === kind) return entry;
    }
    return undefined;
  }

  /** Whether the element on the stack is in the list, regardless of markers. */
  has(slot: number, serial: number): boolean {
    this.steps += this.#entries.length;
    return this.#entries.some((entry) => entry?.slot === slot && entry.serial === serial);
  }

  remove(entry: FormattingEntry): void {
    if (this.#entries.at(-1) === entry) this.#entries.pop();
    else {
      const at = this.#entries.lastIndexOf(entry);
      if (at !== -1) this.#entries.splice(at, 1);
    }
  }

  /** The entries at the end of the list that are not open, oldest first. */
  lapsed(isOpen: (entry: FormattingEntry) => boolean): FormattingEntry[] {
    const lapsed: FormattingEntry[] = [];
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at];
      if (entry === undefined || isOpen(entry)) break;
      lapsed.push(entry);
    }
    return lapsed.toReversed();
  }

  some(test: (entry: FormattingEntry) => boolean): boolean {
    return this.#entries.some((entry) => entry !== undefined && test(entry));
  }
}

const { A } = knownKinds("A");

/** Links do not nest. */
export function endAnchor(state: TreeState): void {
  const entry = state.formatting.find(A);
  if (entry === undefined) return;
  endFormatting(state, A);
  if (state.isOpen(entry)) state.leave("misnested formatting");
  state.formatting.remove(entry);
}

/** The part of the standard's adoption agency algorithm that moves nothing. */
export function endFormatting(state: TreeState, kind: TagKind): void {
  const { formatting } = state;
  const { newest } = formatting;
  // Nearly always it is the innermost element.
  if (newest?.kind === kind && newest.slot === state.top && state.isOpen(newest)) {
    state.pop();
    formatting.remove(newest);
    return;
  }
  if (state.current === kind && !formatting.has(state.top, state.serials[state.top] ?? 0)) {
    state.pop();
    return;
  }
  const entry = formatting.find(kind);
  if (entry === undefined) endGeneric(state, kind);
  else if (!state.isOpen(entry)) formatting.remove(entry);
  else if (state.hasAbove(entry.slot, SCOPE)) return;
  // A block that begins inside the formatting element and ends after it has to be moved out of it.
  else if (state.hasAbove(entry.slot, SPECIAL)) state.leave("misnested formatting");
  else {
    state.popTo(entry.slot);
    formatting.remove(entry);
  }
}

export function endGeneric(state: TreeState, kind: TagKind): void {
  const slot = state.topOf(kind);
  if (slot !== 0 && !state.hasAbove(slot, SPECIAL)) state.popTo(slot);
}
