import { randomUUID } from "node:crypto";
import type { Exchange } from "../model/capture.ts";
import { requestHead, responseHead } from "./http-head.ts";
import { sha256 } from "./sha256.ts";

/** A record ready to be compressed, and the digest of its payload. */
export interface WarcRecord {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly digest: string;
}

/** What one file of a job is: the first record of every segment (WARC 1.1, 6.2). */
export interface SegmentInfo {
  /** Blob name of the segment. */
  readonly name: string;
  readonly job: string;
  readonly software: string;
  readonly openedAt: number;
}

/** A file that is an object of its own. */
export interface StoredFile {
  readonly blob: string;
  readonly size: number;
  readonly digest: string;
}

const EMPTY = new Uint8Array();

export const warcinfoRecord = (segment: SegmentInfo): WarcRecord =>
  record({
    type: "warcinfo",
    at: segment.openedAt,
    fields: `WARC-Filename: ${segment.name.slice(segment.name.lastIndexOf("/") + 1)}\r\n`,
    contentType: "application/warc-fields",
    head: warcFields([
      ["software", segment.software],
      ["format", "WARC File Format 1.1"],
      ["conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"],
      ["isPartOf", segment.job],
    ]),
    body: EMPTY,
  });

export const responseRecord = (exchange: Exchange, warcinfoId: string): WarcRecord =>
  record({
    type: "response",
    at: exchange.startedAt,
    fields: targetFields(exchange.url, warcinfoId),
    contentType: "application/http;msgtype=response",
    head: responseHead(exchange, exchange.body.length),
    body: exchange.body,
    hasPayload: true,
  });

export const requestRecord = (
  exchange: Omit<Exchange, "body">,
  warcinfoId: string,
  concurrentTo: string,
): WarcRecord =>
  record({
    type: "request",
    at: exchange.startedAt,
    fields: `${targetFields(exchange.url, warcinfoId)}WARC-Concurrent-To: <${concurrentTo}>\r\n`,
    contentType: "application/http;msgtype=request",
    head: requestHead(exchange),
    body: exchange.requestBody ?? EMPTY,
    hasPayload: true,
  });

/** Says where a file went and what head it came with: a `response` without its body would claim that there was none. */
export const storedFileRecord = (
  exchange: Omit<Exchange, "body">,
  stored: StoredFile,
  warcinfoId: string,
): WarcRecord =>
  record({
    type: "metadata",
    at: exchange.startedAt,
    fields: targetFields(exchange.url, warcinfoId),
    contentType: "application/warc-fields",
    head: warcFields([
      ["stored-as", stored.blob],
      ["stored-length", String(stored.size)],
      ["stored-digest", stored.digest],
      ["http-status", `${exchange.status} ${exchange.statusText}`],
      ...exchange.responseHeaders.map(([name, value]) => ["http-header", `${name}: ${value}`] as const),
    ]),
    body: EMPTY,
  });

interface Parts {
  readonly type: "warcinfo" | "response" | "request" | "metadata";
  readonly at: number;
  /** Further header lines, each with its line end. */
  readonly fields: string;
  readonly contentType: string;
  /** The record's block is head and body; its payload is the body. */
  readonly head: Uint8Array;
  readonly body: Uint8Array;
  readonly hasPayload?: boolean;
}

const record = (parts: Parts): WarcRecord => {
  const id = `urn:uuid:${randomUUID()}`;
  const blockLength = parts.head.length + parts.body.length;
  const block = Buffer.concat([parts.head, parts.body], blockLength);
  const digest = sha256(parts.body);
  const header = Buffer.from(
    `WARC/1.1\r\nWARC-Type: ${parts.type}\r\nWARC-Record-ID: <${id}>\r\n` +
      `WARC-Date: ${new Date(parts.at).toISOString()}\r\n${parts.fields}` +
      (parts.hasPayload ? `WARC-Payload-Digest: ${digest}\r\n` : "") +
      `WARC-Block-Digest: ${sha256(block)}\r\nContent-Type: ${parts.contentType}\r\n` +
      `Content-Length: ${blockLength}\r\n\r\n`,
  );
  return { id, digest, bytes: Buffer.concat([header, block, RECORD_END]) };
};

const RECORD_END = Buffer.from("\r\n\r\n");

const targetFields = (url: string, warcinfoId: string): string =>
  `WARC-Target-URI: ${warcUri(url)}\r\nWARC-Warcinfo-ID: <${warcinfoId}>\r\n`;

/** ASCII without white space: a URI in a header line cannot be anything else. */
const warcUri = (url: string): string => URL.parse(url)?.href ?? encodeURI(url.toWellFormed());

const warcFields = (fields: readonly (readonly [string, string])[]): Uint8Array =>
  Buffer.from(fields.map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n\0]+/g, " ")}\r\n`).join(""));
