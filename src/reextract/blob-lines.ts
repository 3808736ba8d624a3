import { ArchiveError } from "../archive/archive-error.ts";
import type { Blobs } from "../ports/blobs.ts";

const NEWLINE = 0x0a;

/** The lines of JSONL objects, one object after the other. Lines keep their line end. */
export class BlobLines {
  readonly #batches: AsyncIterator<readonly Buffer[]>;
  #lines: readonly Buffer[] = [];
  #at = 0;

  constructor(blobs: Blobs, names: readonly string[]) {
    this.#batches = batchesOf(blobs, names);
  }

  /** Undefined after the last. */
  async next(): Promise<Buffer | undefined> {
    while (this.#at >= this.#lines.length) {
      const next = await this.#batches.next();
      if (next.done === true) return undefined;
      this.#lines = next.value;
      this.#at = 0;
    }
    return this.#lines[this.#at++];
  }

  async close(): Promise<void> {
    await this.#batches.return?.();
  }
}

async function* batchesOf(blobs: Blobs, names: readonly string[]): AsyncGenerator<readonly Buffer[]> {
  for (const name of names) {
    let rest: Buffer[] = [];
    for await (const bytes of blobs.stream(name)) {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const lines: Buffer[] = [];
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        const line = chunk.subarray(from, end + 1);
        lines.push(rest.length === 0 ? line : Buffer.concat([...rest, line]));
        rest = [];
        from = end + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
      yield lines;
    }
    if (rest.length > 0)
      throw new ArchiveError(
        "damaged",
        name,
        `${name} ends in the middle of a line. Put it back from a backup, or extract again with \`sluice extract\`.`,
      );
  }
}
