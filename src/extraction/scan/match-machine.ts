import type { OpenElement } from "./open-element.ts";
import type { Chain, Combinator, Compound } from "./stream-selector.ts";
import { kindByName, KNOWN_KINDS, type TagKind } from "./tag-kind.ts";

const FRAMES = 64;

/**
 * Runs a program over a page or over one row of it. A frame for each open element holds the positions that the element is at, those that
 * it or an ancestor is at, and those that its children so far are at; they give the positions that the next child may be at.
 * Frame 0 is the page, or the row itself.
 */
export class MatchMachine {
  readonly #program: MatchProgram;
  readonly #words: number;
  #own: Int32Array;
  #within: Int32Array;
  #lastChild: Int32Array;
  #children: Int32Array;
  #depth = 0;
  /** The frame of a `<template>`, whose content is not part of the page. */
  #template = 0;
  /** Positions of queries that still need an answer. */
  readonly #wanted: Int32Array;
  /** The queries that the last element answers. */
  readonly hits: number[] = [];

  constructor(program: MatchProgram) {
    this.#program = program;
    this.#words = program.words;
    const length = FRAMES * program.words;
    this.#own = new Int32Array(length);
    this.#within = new Int32Array(length);
    this.#lastChild = new Int32Array(program.looksAside ? length : 0);
    this.#children = new Int32Array(program.looksAside ? length : 0);
    this.#wanted = new Int32Array(program.words);
  }

  beginPage(): void {
    this.#begin();
    for (let word = 0; word < this.#words; word++) this.#setFrame(word, 0, 0);
  }

  /** For a program of row chains: their first compounds are tested on the row itself. */
  beginRow(kind: TagKind, row: OpenElement): void {
    this.#begin();
    const { firsts } = this.#program;
    const forKind = this.#program.forKind(kind);
    row.isScope = true;
    for (let word = 0; word < this.#words; word++) {
      const at = this.#fitting((firsts[word] ?? 0) & (forKind[word] ?? 0), word, row);
      this.#setFrame(word, at, at);
    }
    row.isScope = false;
  }

  #begin(): void {
    this.#depth = 0;
    this.#template = 0;
    this.#wanted.fill(-1);
  }

  drop(query: number): void {
    const positions = this.#program.ofQuery[query];
    for (let word = 0; word < this.#words; word++) {
      this.#wanted[word] = (this.#wanted[word] ?? 0) & ~(positions?.[word] ?? 0);
    }
  }

  /** Sets `hits`. `isFromStart`: chains may begin at any element, not only at frame 0. */
  open(kind: TagKind, element: OpenElement, isFromStart: boolean): void {
    const program = this.#program;
    const words = this.#words;
    if (this.hits.length > 0) this.hits.length = 0;
    const parent = this.#depth * words;
    const frame = parent + words;
    this.#depth++;
    if (this.#template !== 0) return;
    if (frame + words > this.#own.length) this.#grow();
    const forKind = program.forKind(kind);
    const { before, looksAside } = program;
    for (let word = 0; word < words; word++) {
      const above = this.#within[parent + word] ?? 0;
      let next =
        (above & (before.descendant[word] ?? 0)) |
        ((this.#own[parent + word] ?? 0) & (before.child[word] ?? 0));
      if (looksAside) {
        next |=
          ((this.#lastChild[parent + word] ?? 0) & (before.adjacent[word] ?? 0)) |
          ((this.#children[parent + word] ?? 0) & (before.sibling[word] ?? 0));
      }
      next <<= 1;
      if (isFromStart) next |= program.firsts[word] ?? 0;
      const possible = next & (forKind[word] ?? 0) & (this.#wanted[word] ?? 0);
      const at = possible === 0 ? 0 : this.#fitting(possible, word, element);
      this.#setFrame(frame + word, at, above | at);
      if (looksAside) {
        this.#lastChild[parent + word] = at;
        this.#children[parent + word] = (this.#children[parent + word] ?? 0) | at;
      }
      const answers = at & (program.lasts[word] ?? 0);
      if (answers !== 0) this.#hit(answers, word);
    }
    if (kind.role === "template" && element.attribute("shadowrootmode") === undefined)
      this.#template = this.#depth;
  }

  close(): void {
    if (this.#template === this.#depth) this.#template = 0;
    this.#depth--;
  }

  #setFrame(place: number, own: number, within: number): void {
    this.#own[place] = own;
    this.#within[place] = within;
    if (!this.#program.looksAside) return;
    this.#lastChild[place] = 0;
    this.#children[place] = 0;
  }

  #fitting(possible: number, word: number, element: OpenElement): number {
    const { compounds, needsId, needsClass } = this.#program;
    let rest = possible;
    if (!element.hasAnyId) rest &= ~(needsId[word] ?? 0);
    if (!element.hasAnyClass) rest &= ~(needsClass[word] ?? 0);
    let at = 0;
    while (rest !== 0) {
      const bit = rest & -rest;
      rest ^= bit;
      const compound = compounds[(word << 5) + 31 - Math.clz32(bit)];
      if (compound !== undefined && fits(compound, element)) at |= bit;
    }
    return at;
  }

  #hit(answers: number, word: number): void {
    for (let rest = answers; rest !== 0;) {
      const bit = rest & -rest;
      rest ^= bit;
      const query = this.#program.queryAt[(word << 5) + 31 - Math.clz32(bit)];
      // Two selectors of one list may both match.
      if (query !== undefined && !this.hits.includes(query)) this.hits.push(query);
    }
  }

  #grow(): void {
    this.#own = doubled(this.#own);
    this.#within = doubled(this.#within);
    this.#lastChild = doubled(this.#lastChild);
    this.#children = doubled(this.#children);
  }
}

/** Its tag has matched already. */
function fits({ tests }: Compound, element: OpenElement): boolean {
  for (const test of tests) if (!test(element)) return false;
  return true;
}

function doubled(array: Int32Array): Int32Array {
  const longer = new Int32Array(array.length * 2);
  longer.set(array);
  return longer;
}

/** Positions per word of a bit set. A chain lies within one word, so that its next position is one bit to the left. */
export const WORD_BITS = 32;

/**
 * The chains of all queries as numbered positions, one bit each. An element is at a position if it matches the chain up to that
 * compound. Whatever concerns many positions at once is a mask over them.
 */
export class MatchProgram {
  readonly words: number;
  /** By position; unused positions of a word are undefined. */
  readonly compounds: readonly (Compound | undefined)[];
  /** The query answered at a position; only the last of a chain answers. */
  readonly queryAt: readonly number[];
  readonly firsts: Int32Array;
  readonly lasts: Int32Array;
  /** Positions followed by that combinator. */
  readonly before: Readonly<Record<Combinator, Int32Array>>;
  readonly looksAside: boolean;
  readonly needsId: Int32Array;
  readonly needsClass: Int32Array;
  /** By query: all of its positions. */
  readonly ofQuery: readonly Int32Array[];
  readonly countsTypes: boolean;
  readonly #byKnownTag: Int32Array[];
  readonly #byOtherTag = new Map<string, Int32Array>();
  readonly #forAnyTag: Int32Array;

  constructor(queries: readonly (readonly Chain[] | undefined)[]) {
    const layout = placed(queries);
    this.words = Math.max(1, Math.ceil(layout.end / WORD_BITS));
    const compounds: (Compound | undefined)[] = [];
    const queryAt: number[] = [];
    const mask = (): Int32Array => new Int32Array(this.words);
    this.firsts = mask();
    this.lasts = mask();
    this.before = { descendant: mask(), child: mask(), adjacent: mask(), sibling: mask() };
    this.needsId = mask();
    this.needsClass = mask();
    this.#forAnyTag = mask();
    const ofQuery = queries.map(mask);
    for (const { chain, query, from } of layout.chains) {
      for (const [index, compound] of chain.compounds.entries()) {
        const position = from + index;
        const combinator = chain.combinators[index];
        compounds[position] = compound;
        if (index === 0) add(this.firsts, position);
        if (combinator === undefined) {
          add(this.lasts, position);
          queryAt[position] = query;
        } else add(this.before[combinator], position);
        if (compound.needsId) add(this.needsId, position);
        if (compound.needsClass) add(this.needsClass, position);
        if (compound.tag === undefined) add(this.#forAnyTag, position);
        const own = ofQuery[query];
        if (own !== undefined) add(own, position);
      }
    }
    this.compounds = compounds;
    this.queryAt = queryAt;
    this.ofQuery = ofQuery;
    this.countsTypes = compounds.some((compound) => compound?.countsTypes === true);
    this.looksAside = layout.chains.some(({ chain }) =>
      chain.combinators.some((combinator) => combinator === "adjacent" || combinator === "sibling"),
    );
    this.#byKnownTag = Array.from({ length: KNOWN_KINDS }, () => this.#forAnyTag);
    for (const [position, compound] of compounds.entries()) {
      if (compound?.tag !== undefined) add(this.#maskOf(compound.tag), position);
    }
  }

  /** The positions that an element of this kind may be at. */
  forKind(kind: TagKind): Int32Array {
    return this.#byKnownTag[kind.id] ?? this.#byOtherTag.get(kind.lower) ?? this.#forAnyTag;
  }

  #maskOf(tag: string): Int32Array {
    const id = kindByName(tag)?.id;
    const known = id === undefined ? this.#byOtherTag.get(tag) : this.#byKnownTag[id];
    if (known !== undefined && known !== this.#forAnyTag) return known;
    const own = this.#forAnyTag.slice();
    if (id === undefined) this.#byOtherTag.set(tag, own);
    else this.#byKnownTag[id] = own;
    return own;
  }
}

const add = (mask: Int32Array, position: number): void => {
  const word = position >>> 5;
  mask[word] = (mask[word] ?? 0) | (1 << (position & 31));
};

interface Placed {
  readonly chain: Chain;
  readonly query: number;
  readonly from: number;
}

function placed(queries: readonly (readonly Chain[] | undefined)[]): { chains: Placed[]; end: number } {
  const chains: Placed[] = [];
  let end = 0;
  for (const [query, own] of queries.entries()) {
    for (const chain of own ?? []) {
      const { length } = chain.compounds;
      if ((end % WORD_BITS) + length > WORD_BITS) end = Math.ceil(end / WORD_BITS) * WORD_BITS;
      chains.push({ chain, query, from: end });
      end += length;
    }
  }
  return { chains, end };
}
