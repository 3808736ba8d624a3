import { ArchiveError, sha256 } from "../archive/manifest.ts";
import type { Blobs } from "../ports/blobs.ts";
import { isStorageError, type OnDamage } from "./damage.ts";

const NEWLINE = 0x0a;

interface BlobLine {
  /** With its line end. */
  readonly bytes: Buffer;
  readonly blob: string;
}

/**
 * The lines of JSONL objects, one object after the other. Where damage is only told, it goes on with the next object. An object whose digest
 * is known is read whole, a few megabytes, and checked before any line of it is given away.
 */
export class BlobLines {
  readonly #batches: AsyncIterator<{ readonly blob: string; readonly lines: readonly Buffer[] }>;
  #lines: readonly Buffer[] = [];
  #blob = "";
  #at = 0;

  constructor(
    blobs: Blobs,
    names: readonly string[],
    onDamage: OnDamage,
    digests: Readonly<Record<string, string>> = {},
  ) {
    this.#batches = batchesOf(blobs, names, onDamage, digests);
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
  digests: Readonly<Record<string, string>>,
): AsyncGenerator<{ readonly blob: string; readonly lines: readonly Buffer[] }> {
  for (const blob of names)
    try {
      for await (const lines of linesOf(blobs, blob, digests[blob])) yield { blob, lines };
    } catch (error) {
      if (!isStorageError(error)) throw error;
      onDamage(error);
    }
}

async function* checkedBytes(blobs: Blobs, name: string, digest: string): AsyncGenerator<Uint8Array> {
  const bytes = await blobs.get(name);
  if (sha256(bytes) !== digest) throw damaged(name, "is damaged: its digest is another");
  yield bytes;
}

async function* linesOf(
  blobs: Blobs,
  name: string,
  digest: string | undefined,
): AsyncGenerator<readonly Buffer[]> {
  let rest: Buffer[] = [];
  const stored = digest === undefined ? blobs.stream(name) : checkedBytes(blobs, name, digest);
  for await (const bytes of stored) {
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
  if (rest.length > 0) throw damaged(name, "ends in the middle of a line");
}

const damaged = (name: string, what: string): ArchiveError =>
  new ArchiveError(
    "damaged",
    name,
    `${name} ${what}. Put it back from a backup, or extract again with \`sluice extract\`.`,
  );
