import type { Blobs } from "../ports/blobs.ts";

const MB = 1024 * 1024;
const BLOCK = 4 * MB;
/** A read that begins within this distance after the previous one continues it. */
const NEAR = 256 * 1024;
const MOST_BLOCKS = 4;
const MOST_OBJECTS = 64;

interface Block {
  readonly object: string;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Ranges of large objects that do not change: sequential reads get many of them with one request. */
export class ReadAhead {
  readonly #store: Pick<Blobs, "get">;
  readonly #blocks: Block[] = [];
  readonly #ends = new Map<string, number>();

  constructor(store: Pick<Blobs, "get">) {
    this.#store = store;
  }

  async get(
    object: string,
    range: { readonly offset: number; readonly length: number },
  ): Promise<Uint8Array> {
    const { offset, length } = range;
    const end = offset + length;
    const last = this.#ends.get(object);
    this.#ends.delete(object);
    this.#ends.set(object, end);
    if (this.#ends.size > MOST_OBJECTS) this.#ends.delete(this.#ends.keys().next().value!);
    const isIn = (block: Block): boolean =>
      block.object === object && block.offset <= offset && end <= block.offset + block.bytes.length;
    const known = this.#blocks.find(isIn);
    if (known) return copyOf(known, offset, length);
    const isNext = last !== undefined && offset >= last && offset - last <= NEAR;
    if (!isNext || length >= BLOCK) return await this.#store.get(object, range);
    const block = { object, offset, bytes: await this.#store.get(object, { offset, length: BLOCK }) };
    this.#blocks.push(block);
    if (this.#blocks.length > MOST_BLOCKS) this.#blocks.shift();
    return copyOf(block, offset, length);
  }
}

/** The caller may hand its bytes to another thread. */
const copyOf = ({ offset: from, bytes }: Block, offset: number, length: number): Uint8Array =>
  Buffer.from(bytes.subarray(offset - from, offset - from + length));
