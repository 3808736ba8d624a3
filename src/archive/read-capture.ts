import { promisify } from "node:util";
import { gunzip, gunzipSync } from "node:zlib";
import { type BlobRange, type CaptureRef, pageUrlOf } from "../domain/capture.ts";
import type { Blobs } from "../ports/blobs.ts";
import { ArchiveError, isStorageError, sha256, type StorageError } from "./stored-bytes.ts";

export interface Capture {
  readonly url: string;
  readonly status: number;
  /** As stored; see `responseHead` for differences from the wire. */
  readonly headers: readonly (readonly [string, string])[];
  /** Content-encoded, as received. */
  readonly body: Uint8Array;
}

const unzip = promisify(gunzip);

/** Reads a capture by its range. Throws `ArchiveError` if it differs from what was stored. */
export const readCapture = async (blobs: Blobs, ref: CaptureRef): Promise<Capture> => {
  const bytes = await blobs.get(ref.blob, { offset: ref.offset, length: ref.length });
  if (!isPacked(ref)) return checked(ref, readStoredFile(ref, bytes));
  const record = await unzip(bytes).catch((error: unknown) => {
    throw damaged(ref, "it cannot be decompressed", error);
  });
  return checked(ref, readRecord(ref, record, true));
};

/** False for a file that is a separate object. */
export const isPacked = ({ blob }: CaptureRef): boolean => blob.endsWith(".warc.gz");

/** The stored bytes of many ranges, with neighbors in one read. A range that cannot be read gets the error, so that the others can still be used. */
export const readRanges = async <Range extends BlobRange>(
  blobs: Blobs,
  ranges: readonly Range[],
): Promise<ReadonlyMap<Range, Uint8Array | StorageError>> => {
  const found = new Map<Range, Uint8Array | StorageError>();
  for (const { blob, offset, end, ranges: parts } of stretchesOf(ranges)) {
    const bytes = await blobs.get(blob, { offset, length: end - offset }).catch(storageError);
    for (const part of parts) {
      const from = part.offset - offset;
      found.set(part, bytes instanceof Error ? bytes : bytes.subarray(from, from + part.length));
    }
  }
  return found;
};

const storageError = (error: unknown): StorageError => {
  if (isStorageError(error)) return error;
  throw error;
};

/**
 * A capture from its stored bytes, synchronously, for threads with no other work. Throws like `readCapture`. The block's digest is not checked:
 * the body has its own, and the member's checksum covers the head.
 */
export const openCapture = (ref: CaptureRef, bytes: Uint8Array): Capture => {
  if (!isPacked(ref)) return checked(ref, readStoredFile(ref, bytes));
  let record: Buffer;
  try {
    record = gunzipSync(bytes);
  } catch (error) {
    throw damaged(ref, "it cannot be decompressed", error);
  }
  return checked(ref, readRecord(ref, record, false));
};

const checked = (ref: CaptureRef, capture: Capture): Capture => {
  if (sha256(capture.body) !== ref.digest) throw damaged(ref, "body digest mismatch");
  return capture;
};

/** The original head is in the segment's record of the file; a file is stored only if its response was accepted. */
const readStoredFile = (ref: CaptureRef, body: Uint8Array): Capture => ({
  ...storedHead(ref),
  body,
});

export const storedHead = (ref: CaptureRef): Omit<Capture, "body"> => ({
  url: ref.url,
  status: 200,
  headers: [["content-type", ref.mediaType]],
});

/** A resource is read as the page that it was made from. */
export const resourceHead = (
  url: string,
  contentType = "application/octet-stream",
): Omit<Capture, "body"> => ({
  url: pageUrlOf(url),
  status: 200,
  headers: [["content-type", contentType]],
});

const readRecord = (ref: CaptureRef, record: Buffer, checksBlock: boolean): Capture => {
  const warc = splitHead(ref, record);
  const field = (name: string) => warc.headers.find(([key]) => key.toLowerCase() === name)?.[1];
  const type = field("warc-type");
  if (type !== "response" && type !== "resource")
    throw damaged(ref, "there is no response record at this offset");
  const block = warc.rest.subarray(0, Number(field("content-length")));
  if (checksBlock && sha256(block) !== field("warc-block-digest"))
    throw damaged(ref, "record digest mismatch");
  const url = field("warc-target-uri") ?? ref.url;
  if (type === "resource") return { ...resourceHead(url, field("content-type")), body: block };
  const http = splitHead(ref, block);
  return {
    url,
    status: Number(http.firstLine.split(" ", 2)[1]),
    headers: http.headers,
    body: http.rest,
  };
};

const splitHead = (ref: CaptureRef, bytes: Buffer) => {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) throw damaged(ref, "a head has no end");
  return { ...readHead(bytes.subarray(0, end)), rest: bytes.subarray(end + 4) };
};

/** A first line and header lines, with or without the final empty line. */
export const readHead = (
  head: Buffer,
): { readonly firstLine: string; readonly headers: readonly (readonly [string, string])[] } => {
  const [firstLine = "", ...lines] = head.toString("latin1").trimEnd().split("\r\n");
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { firstLine, headers };
};

export const damaged = (ref: CaptureRef, what: string, cause?: unknown): ArchiveError =>
  new ArchiveError(
    ref.blob,
    `capture ${ref.name} of ${ref.url} is damaged (${ref.blob}, ${ref.length} bytes from ${ref.offset}): ${what}`,
    { cause },
  );

/** Reading across a gap of this many bytes is cheaper than another read. */
const GAP = 64 * 1024;

/** A part of one object that contains some of the requested ranges. */
interface Stretch<Range extends BlobRange> {
  readonly blob: string;
  readonly offset: number;
  end: number;
  readonly ranges: Range[];
}

/**
 * Neighbors in an object, to be read together: items stored together are adjacent, and one retried much later costs
 * one small read.
 */
const stretchesOf = <Range extends BlobRange>(ranges: readonly Range[]): Stretch<Range>[] => {
  const stretches: Stretch<Range>[] = [];
  const ordered = ranges.toSorted((a, b) =>
    a.blob < b.blob ? -1 : a.blob > b.blob ? 1 : a.offset - b.offset,
  );
  for (const range of ordered) {
    const { blob, offset, length } = range;
    const last = stretches.at(-1);
    if (last?.blob === blob && offset - last.end <= GAP) {
      last.end = Math.max(last.end, offset + length);
      last.ranges.push(range);
    } else stretches.push({ blob, offset, end: offset + length, ranges: [range] });
  }
  return stretches;
};
