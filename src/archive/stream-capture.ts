import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { CaptureRef } from "../domain/capture.ts";
import type { Blobs } from "../ports/blobs.ts";
import { type Capture, damaged, isPacked, readHead, resourceHead, storedHead } from "./read-capture.ts";

/** A capture whose body is read on demand. */
export interface CaptureStream extends Omit<Capture, "body"> {
  readonly size: number;
  readonly body: AsyncGenerator<Uint8Array>;
}

/** Bytes per read. */
const PIECE = 64 * 1024;
const LONGEST_HEAD = 4 * 1024 * 1024;

/**
 * Reads a capture piece by piece, so that memory does not grow with it. Throws like `readCapture`; the last piece of a damaged body is never
 * yielded.
 */
export const streamCapture = async (blobs: Blobs, ref: CaptureRef): Promise<CaptureStream> => {
  if (!isPacked(ref))
    return { ...storedHead(ref), size: ref.length, body: checked(ref, piecesOf(blobs, ref), ref.length) };
  const bytes = new HeadReader(ref, unzipped(blobs, ref));
  const { headers: fields } = readHead(await bytes.head());
  const field = (name: string) => fields.find(([key]) => key.toLowerCase() === name)?.[1];
  const url = field("warc-target-uri") ?? ref.url;
  const type = field("warc-type");
  if (type === "resource") {
    const size = Number(field("content-length"));
    return { ...resourceHead(url, field("content-type")), size, body: checked(ref, bytes.rest(), size) };
  }
  if (type !== "response") throw damaged(ref, "there is no response record at this offset");
  const head = await bytes.head();
  const { firstLine, headers } = readHead(head);
  const size = Number(field("content-length")) - head.length;
  return {
    url,
    status: Number(firstLine.split(" ", 2)[1]),
    headers,
    size,
    body: checked(ref, bytes.rest(), size),
  };
};

async function* piecesOf(blobs: Blobs, { blob, offset, length }: CaptureRef): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; at += PIECE) {
    const bytes = await blobs.get(blob, { offset: offset + at, length: Math.min(PIECE, length - at) });
    if (bytes.length === 0) return;
    yield bytes;
  }
}

async function* unzipped(blobs: Blobs, ref: CaptureRef): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  // Errors of both streams surface in the loop below.
  pipeline(Readable.from(piecesOf(blobs, ref)), gunzip, () => undefined);
  try {
    yield* gunzip as AsyncIterable<Uint8Array>;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw code.startsWith("Z_") ? damaged(ref, "it cannot be decompressed", error) : error;
  }
}

/** The first `size` bytes. Each piece is yielded when the next one arrives, the last one only if the digest matches. */
async function* checked(
  ref: CaptureRef,
  pieces: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let left = size;
  let held: Uint8Array | undefined;
  for await (const piece of pieces) {
    const own = piece.subarray(0, left);
    left -= own.length;
    hash.update(own);
    if (held && own.length > 0) yield held;
    if (own.length > 0) held = own;
  }
  if (left !== 0 || `sha256:${hash.digest("hex")}` !== ref.digest) throw damaged(ref, "body digest mismatch");
  if (held) yield held;
}

class HeadReader {
  readonly #ref: CaptureRef;
  readonly #pieces: AsyncGenerator<Uint8Array>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(ref: CaptureRef, pieces: AsyncGenerator<Uint8Array>) {
    this.#ref = ref;
    this.#pieces = pieces;
  }

  /** Including the final empty line. */
  async head(): Promise<Buffer> {
    for (;;) {
      const end = this.#buffer.indexOf("\r\n\r\n");
      if (end >= 0) {
        const head = this.#buffer.subarray(0, end + 4);
        this.#buffer = this.#buffer.subarray(end + 4);
        return head;
      }
      const next = await this.#pieces.next();
      if (next.done === true || this.#buffer.length > LONGEST_HEAD)
        throw damaged(this.#ref, "a head has no end");
      this.#buffer = Buffer.concat([this.#buffer, next.value]);
    }
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    if (this.#buffer.length > 0) yield this.#buffer;
    yield* this.#pieces;
  }
}
