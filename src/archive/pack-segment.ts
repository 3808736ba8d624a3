import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Exchange } from "../domain/capture.ts";
import { cdxjFile, cdxjLine, type IndexedPlace, isCompressed } from "./cdxj.ts";
import {
  requestRecord,
  resourceRecord,
  responseRecord,
  revisitRecord,
  type SegmentInfo,
  type StoredFile,
  storedFileRecord,
  warcinfoRecord,
  type WarcRecord,
} from "./warc-record.ts";

/** An entry of a segment: a response with its body, or the head of one whose body is a separate object. */
export type Entry =
  | { readonly exchange: Exchange }
  | { readonly exchange: Omit<Exchange, "body">; readonly stored: StoredFile };

export interface Packed {
  /** The next bytes of the segment. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The place of each entry's response (or of the record of its file) in the segment. */
  readonly places: readonly IndexedPlace[];
}

export interface SegmentPacking {
  add(entries: readonly Entry[]): Packed;
  /** The segment's CDXJ file. */
  index(): Uint8Array;
}

const ALREADY_COMPRESSED_LEVEL = 1;

/** Builds one WARC segment piece by piece: one gzip member per record, `warcinfo` first. */
export const packSegment = (segment: SegmentInfo, level: number): SegmentPacking => {
  const filename = segment.name.slice(segment.name.lastIndexOf("/") + 1);
  const warcinfo = warcinfoRecord(segment);
  const lines: string[] = [];
  const hash = createHash("sha256");
  let size = 0;

  return {
    add(entries) {
      const members: Uint8Array[] = [];
      const append = (record: WarcRecord, atLevel: number): IndexedPlace => {
        const member = gzipSync(record.bytes, {
          level: atLevel,
          chunkSize: Math.max(1_024, record.bytes.length >> 2),
        });
        const place = { offset: size, length: member.length, digest: record.digest };
        members.push(member);
        hash.update(member);
        size += member.length;
        return place;
      };

      if (size === 0) append(warcinfo, level);
      const places = entries.map((entry) => {
        const { exchange } = entry;
        if ("stored" in entry) {
          const note = storedFileRecord(exchange, entry.stored, warcinfo.id);
          const place = append(note, level);
          append(requestRecord(exchange, warcinfo.id, note.id), level);
          return place;
        }
        const recordOf = exchange.isResource ? resourceRecord : responseRecord;
        const response = exchange.same
          ? revisitRecord(entry.exchange, exchange.same, warcinfo.id)
          : recordOf(entry.exchange, warcinfo.id);
        const place = append(
          response,
          isCompressed(exchange.responseHeaders) ? ALREADY_COMPRESSED_LEVEL : level,
        );
        if (!exchange.isResource) append(requestRecord(exchange, warcinfo.id, response.id), level);
        lines.push(cdxjLine(exchange, place, filename));
        return place;
      });
      return { bytes: joined(members), places };
    },
    index: () => cdxjFile(lines, { filename, length: size, digest: `sha256:${hash.digest("hex")}` }),
  };
};

/** In a separate buffer, so that a thread can transfer it instead of copying it. */
const joined = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};
