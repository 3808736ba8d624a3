import { ArchiveError } from "../archive/archive-error.ts";
import type { Blobs } from "../ports/blobs.ts";
import { isStorageError, type OnDamage } from "./damage.ts";

const NEWLINE = 0x0a;

export interface BlobLine {
  /** With its line end. */
  readonly bytes: Buffer;
  readonly blob: string;
}

/** The lines of JSONL objects, one object after the other. Where damage is only told, it goes on with the next object. */
export class BlobLines {
  readonly #batches: AsyncIterator<{ readonly blob: string; readonly lines: readonly Buffer[] }>;
  #lines: readonly Buffer[] = [];
  #blob = "";
  #at = 0;

  constructor(blobs: Blobs, names: readonly string[], onDamage: OnDamage) {
    this.#batches = batchesOf(blobs, names, onDamage);
  }

  /** Undefined after the last. */
  async next(): Promise<BlobLine | undefined> {
    while (this.#at >= this.#lines.length) {
      const next = await this.#batches.next();
      if (next.done === true) return undefined;
      this.#lines = next.value.lines;
      this.#blob = next.value.blob;
      this.#at = 0;
    }
    return { bytes: this.#lines[this.#at++]!, blob: this.#blob };
  }

  async close(): Promise<void> {
    await this.#batches.return?.();
  }
}

async function* batchesOf(
  blobs: Blobs,
  names: readonly string[],
  onDamage: OnDamage,
): AsyncGenerator<{ readonly blob: string; readonly lines: readonly Buffer[] }> {
  for (const blob of names)
    try {
      for await (const lines of linesOf(blobs, blob)) yield { blob, lines };
    } catch (error) {
      if (!isStorageError(error)) throw error;
      onDamage(error);
    }
}

async function* linesOf(blobs: Blobs, name: string): AsyncGenerator<readonly Buffer[]> {
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
