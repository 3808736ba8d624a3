import { hash } from "node:crypto";

/** Words of a digest that name a row, and one for its content. 96 bits: no two of millions of rows are taken for one. */
const NAME_WORDS = 3;
const WIDTH = NAME_WORDS + 1;
const FIRST_SLOTS = 1024;

/** Names of rows and a check of their contents, in 16 bytes each: five million take about 130 MB. */
export class DigestTable {
  #words = new Uint32Array(FIRST_SLOTS * WIDTH);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** False if the name is known already; its first content stays. */
  add(name: string, content = 0): boolean {
    const words = digestOf(name);
    const place = this.#find(this.#words, words);
    if (this.#words[place] !== 0) return false;
    this.#words.set(words, place);
    this.#words[place + NAME_WORDS] = content;
    if (++this.#size * 2 > this.#words.length / WIDTH) this.#grow();
    return true;
  }

  /** The content that it was added with; undefined if it was not. */
  get(name: string): number | undefined {
    const place = this.#find(this.#words, digestOf(name));
    return this.#words[place] === 0 ? undefined : this.#words[place + NAME_WORDS];
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Where the name is, or would be. The first word of a name is never 0: that marks a free slot. */
  #find(table: Uint32Array, words: Uint32Array): number {
    const slots = table.length / WIDTH;
    for (let slot = words[1]! & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const place = slot * WIDTH;
      if (table[place] === 0) return place;
      if (table[place] === words[0] && table[place + 1] === words[1] && table[place + 2] === words[2])
        return place;
    }
  }

  #grow(): void {
    const old = this.#words;
    const words = new Uint32Array(old.length * 2);
    for (let place = 0; place < old.length; place += WIDTH) {
      if (old[place] === 0) continue;
      const row = old.subarray(place, place + WIDTH);
      words.set(row, this.#find(words, row));
    }
    this.#words = words;
  }
}

const digestOf = (text: string): Uint32Array => {
  const bytes = hash("sha256", text, "buffer");
  const words = new Uint32Array(NAME_WORDS);
  for (let at = 0; at < NAME_WORDS; at++) words[at] = bytes.readUInt32LE(at * 4);
  words[0] ||= 1;
  return words;
};

/** 32 bits of a text, to see whether it changed. */
export const contentCheck = (text: string): number => hash("sha256", text, "buffer").readUInt32LE(0);
