import { crc32, inflateRawSync } from "node:zlib";
import { cdxjFile, cdxjLine } from "./cdxj.ts";
import { sha256 } from "./stored-bytes.ts";
import type { StoredFile } from "./warc-record.ts";

/** One record of a segment; a ref to it must match. */
export interface CheckedMember {
  readonly offset: number;
  readonly length: number;
  readonly type: string;
  /** Digest of the payload. */
  readonly digest: string | undefined;
}

interface CheckedSegment {
  /** Records up to the first damaged one. */
  readonly members: readonly CheckedMember[];
  /** Files stored as separate objects, as the segment describes them. */
  readonly files: readonly StoredFile[];
  /** The segment's correct CDXJ file; undefined if the segment is damaged. */
  readonly index: Uint8Array | undefined;
  /** The problem, with the offset of the record. */
  readonly problem: string | undefined;
}

const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;

/** Checks every record of a WARC segment against its checksums and digests. */
export const checkSegment = (name: string, bytes: Uint8Array): CheckedSegment => {
  const filename = name.slice(name.lastIndexOf("/") + 1);
  const members: CheckedMember[] = [];
  const files: StoredFile[] = [];
  const lines: string[] = [];
  let response: Response | undefined;
  let offset = 0;
  try {
    while (offset < bytes.length) {
      const { record, length } = readMember(bytes.subarray(offset));
      const { type, field, block, payload } = readRecord(record);
      const digest = field("warc-payload-digest");
      const isRevisit = type === "revisit";
      if (digest !== undefined && !isRevisit && sha256(payload) !== digest)
        throw new Error("payload digest mismatch");
      members.push({ offset, length, type, digest });
      if ((type === "response" || isRevisit) && digest !== undefined)
        response = { field, isRevisit, head: headOf(block), place: { offset, length, digest } };
      else if (type === "resource" && digest !== undefined)
        lines.push(resourceLine(field, { offset, length, digest }, filename));
      else if (type === "metadata") files.push(noteOf(block));
      // A request follows its response; only the request has the method.
      if (type === "request" && response) {
        lines.push(lineOf(response, block.toString("latin1", 0, block.indexOf(" ")), filename));
        response = undefined;
      }
      offset += length;
    }
    if (members.length === 0) throw new Error("it is empty");
    if (response) throw new Error("the last response has no request");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { members, files, index: undefined, problem: `the record at byte ${offset} is damaged: ${why}` };
  }
  const index = cdxjFile(lines, { filename, length: bytes.length, digest: sha256(bytes) });
  return { members, files, index, problem: undefined };
};

/** Node decompresses all gzip members at once, so their ends are found here (RFC 1952). */
const readMember = (bytes: Uint8Array): { readonly record: Buffer; readonly length: number } => {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Written without a name, time or extra field.
  if (view.length < HEADER_BYTES || view.readUInt32BE(0) !== 0x1f8b0800 || view.readUInt32BE(4) !== 0)
    throw new Error("it is not a compressed record");
  const inflated = inflateRawSync(view.subarray(HEADER_BYTES), { info: true }) as unknown as {
    readonly buffer: Buffer;
    readonly engine: { readonly bytesWritten: number };
  };
  const end = HEADER_BYTES + inflated.engine.bytesWritten;
  if (view.length < end + TRAILER_BYTES) throw new Error("it is truncated");
  const record = inflated.buffer;
  if (view.readUInt32LE(end) !== crc32(record) || view.readUInt32LE(end + 4) !== record.length % 2 ** 32)
    throw new Error("checksum mismatch");
  return { record, length: end + TRAILER_BYTES };
};

type Field = (name: string) => string | undefined;

const readRecord = (record: Buffer) => {
  const end = record.indexOf("\r\n\r\n");
  const field = fieldsOf(record.toString("latin1", 0, end));
  const type = field("warc-type") ?? "";
  const length = Number(field("content-length"));
  const block = record.subarray(end + 4, end + 4 + length);
  if (end < 0 || record.length !== end + 4 + length + 4) throw new Error("length mismatch");
  if (sha256(block) !== field("warc-block-digest")) throw new Error("digest mismatch");
  // A resource has no HTTP head.
  const payload = type === "resource" ? block : block.subarray(block.indexOf("\r\n\r\n") + 4);
  return { type, field, block, payload };
};

const pairsOf = (text: string): (readonly [string, string])[] =>
  text.split("\r\n").map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });

const fieldsOf = (text: string): Field => {
  const pairs = new Map(pairsOf(text).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => pairs.get(name);
};

const headOf = (block: Buffer): string => block.toString("latin1", 0, block.indexOf("\r\n\r\n"));

interface Response {
  readonly field: Field;
  /** Its body is that of an earlier one. */
  readonly isRevisit: boolean;
  readonly head: string;
  readonly place: { readonly offset: number; readonly length: number; readonly digest: string };
}

const resourceLine = (field: Field, place: Response["place"], filename: string): string =>
  cdxjLine(
    {
      method: "GET",
      url: field("warc-target-uri") ?? "",
      startedAt: Date.parse(field("warc-date") ?? ""),
      requestHeaders: [],
      status: 200,
      statusText: "",
      responseHeaders: [["content-type", field("content-type") ?? ""]],
    },
    place,
    filename,
  );

const lineOf = ({ field, isRevisit, head, place }: Response, method: string, filename: string): string =>
  cdxjLine(
    {
      method,
      url: field("warc-target-uri") ?? "",
      startedAt: Date.parse(field("warc-date") ?? ""),
      requestHeaders: [],
      status: Number(head.split(" ", 2)[1]),
      statusText: "",
      responseHeaders: pairsOf(head),
      ...(isRevisit && { same: { at: 0, length: 0, digest: place.digest } }),
    },
    place,
    filename,
  );

const noteOf = (block: Buffer): StoredFile => {
  const field = fieldsOf(block.toString());
  return {
    blob: field("stored-as") ?? "",
    size: Number(field("stored-length")),
    digest: field("stored-digest") ?? "",
  };
};
