import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { CaptureRef } from "../model/capture.ts";
import type { Blobs } from "../ports/blobs.ts";
import { ArchiveError } from "./archive-error.ts";
import { sha256 } from "./sha256.ts";

export interface Capture {
  readonly url: string;
  readonly status: number;
  /** As stored: see `responseHead` for what differs from the wire. */
  readonly headers: readonly (readonly [string, string])[];
  /** As it came over the wire, content-encoded. */
  readonly body: Uint8Array;
}

const unzip = promisify(gunzip);

/** Reads a capture back by its range, and throws `ArchiveError` `damaged` when it is not what was stored. */
export const readCapture = async (blobs: Blobs, ref: CaptureRef): Promise<Capture> => {
  const bytes = await blobs.get(ref.blob, { offset: ref.offset, length: ref.length });
  const capture = ref.blob.endsWith(".warc.gz") ? await readRecord(ref, bytes) : readStoredFile(ref, bytes);
  if (sha256(capture.body) !== ref.digest) throw damaged(ref, "the body's digest is another");
  return capture;
};

/** Its own head is in the segment's note of it; a file is only stored when its response was accepted. */
const readStoredFile = (ref: CaptureRef, body: Uint8Array): Capture => ({
  url: ref.url,
  status: 200,
  headers: [["content-type", ref.mediaType]],
  body,
});

const readRecord = async (ref: CaptureRef, member: Uint8Array): Promise<Capture> => {
  const record = await unzip(member).catch((error: unknown) => {
    throw damaged(ref, "it cannot be decompressed", error);
  });
  const warc = splitHead(ref, record);
  const field = (name: string) => warc.headers.find(([key]) => key.toLowerCase() === name)?.[1];
  if (field("warc-type") !== "response") throw damaged(ref, "there is no response record at this place");
  const block = warc.rest.subarray(0, Number(field("content-length")));
  if (sha256(block) !== field("warc-block-digest")) throw damaged(ref, "the record's digest is another");
  const http = splitHead(ref, block);
  return {
    url: field("warc-target-uri") ?? ref.url,
    status: Number(http.firstLine.split(" ", 2)[1]),
    headers: http.headers,
    body: http.rest,
  };
};

const splitHead = (ref: CaptureRef, bytes: Buffer) => {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) throw damaged(ref, "a head has no end");
  const [firstLine = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { firstLine, headers, rest: bytes.subarray(end + 4) };
};

const damaged = (ref: CaptureRef, what: string, cause?: unknown): ArchiveError =>
  new ArchiveError(
    "damaged",
    ref.blob,
    `capture ${ref.name} of ${ref.url} is damaged (${ref.blob}, ${ref.length} bytes from ${ref.offset}): ${what}`,
    { cause },
  );
