import type { Chain, Combinator, Compound } from "./stream-selector.ts";
import { KNOWN_KINDS, kindByName } from "./tag-kind.ts";
import type { TagKind } from "./tag-kind.ts";

/** Positions in one word of a bit set; a chain lies within one, so that its next position is one bit to the left. */
export const WORD_BITS = 32;

/**
 * The chains of all queries as one set of numbered positions, a bit each. To be at a position means: this element fits the
 * chain up to that compound. Everything that is asked of many positions at once is a mask over them.
 */
export class MatchProgram {
  readonly words: number;
  /** By position; where a word has room left, nothing. */
  readonly compounds: readonly (Compound | undefined)[];
  /** The query that is answered at a position; only the last of a chain answers. */
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
    const placed = place(queries);
    this.words = Math.max(1, Math.ceil(placed.end / WORD_BITS));
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
    for (const { chain, query, from } of placed.chains) {
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
    this.looksAside = placed.chains.some(({ chain }) =>
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

function place(queries: readonly (readonly Chain[] | undefined)[]): { chains: Placed[]; end: number } {
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
