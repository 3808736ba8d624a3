import type { TagKind } from "./tag-kind.ts";

/** An element such as `<b>` that is opened again where it was still open when the elements around it ended. */
export interface FormattingEntry {
  readonly kind: TagKind;
  /** Where its start tag begins, where its name ends, and where its content begins. */
  readonly at: number;
  readonly nameEnd: number;
  readonly inside: number;
  /** Where it is, or was, on the stack; the serial number tells whether it still is. */
  slot: number;
  serial: number;
}

/** Elements of one kind with the same attributes that are opened again at most. */
const MOST_ALIKE = 3;

/** The standard's list of active formatting elements. Cells and the like set a marker: what is before it is not opened again inside. */
export class FormattingList {
  readonly #entries: (FormattingEntry | undefined)[] = [];
  /** Entries that were looked at. */
  steps = 0;

  /** The newest entry; undefined for a marker, or none. */
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

  /** `attributesOf` tells entries with the same attributes. */
  push(entry: FormattingEntry, attributesOf: (entry: FormattingEntry) => string): void {
    const entries = this.#entries;
    let alike = 0;
    let oldest = -1;
    for (let at = entries.length - 1; at >= 0; at--) {
      const other = entries[at];
      if (other === undefined) break;
      this.steps++;
      if (other.kind !== entry.kind) continue;
      alike++;
      oldest = at;
    }
    if (alike >= MOST_ALIKE) oldest = this.#oldestAlike(oldest, entry, attributesOf);
    if (alike >= MOST_ALIKE && oldest !== -1) entries.splice(oldest, 1);
    entries.push(entry);
  }

  #oldestAlike(
    from: number,
    entry: FormattingEntry,
    attributesOf: (entry: FormattingEntry) => string,
  ): number {
    const wanted = attributesOf(entry);
    let alike = 0;
    let oldest = -1;
    for (let at = this.#entries.length - 1; at >= from; at--) {
      const other = this.#entries[at];
      if (other?.kind !== entry.kind) continue;
      this.steps += 10 * (other.inside - other.nameEnd);
      if (attributesOf(other) !== wanted) continue;
      alike++;
      oldest = at;
    }
    return alike >= MOST_ALIKE ? oldest : -1;
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

  /** Whether the element on the stack is in the list, markers or not. */
  has(slot: number, serial: number): boolean {
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at];
      this.steps++;
      if (entry !== undefined && entry.slot === slot && entry.serial === serial) return true;
    }
    return false;
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
