import { randomUUID } from "node:crypto";
import type { Exchange, StoredBody } from "../domain/capture.ts";
import { sha256 } from "./stored-bytes.ts";

/** A record ready to be compressed, and the digest of its payload. */
export interface WarcRecord {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly digest: string;
}

/** The description of a segment in its first record (WARC 1.1, 6.2). */
export interface SegmentInfo {
  /** Blob name of the segment. */
  readonly name: string;
  readonly job: string;
  readonly software: string;
  readonly openedAt: number;
}

/** A file that is a separate object. */
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

/** A response whose body is that of an earlier one (WARC 1.1, 6.7.2). */
export const revisitRecord = (exchange: Exchange, same: StoredBody, warcinfoId: string): WarcRecord =>
  record({
    type: "revisit",
    at: exchange.startedAt,
    fields:
      `${targetFields(exchange.url, warcinfoId)}WARC-Profile: ${SAME_PAYLOAD}\r\n` +
      `WARC-Refers-To-Target-URI: ${warcUri(exchange.url)}\r\nWARC-Refers-To-Date: ${new Date(same.at).toISOString()}\r\n`,
    contentType: "application/http;msgtype=response",
    head: responseHead(exchange, same.length),
    body: EMPTY,
    hasPayload: true,
    payloadDigest: same.digest,
  });

const SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

/** The record's own content type is the payload's; there is no HTTP head. */
export const resourceRecord = (exchange: Exchange, warcinfoId: string): WarcRecord =>
  record({
    type: "resource",
    at: exchange.startedAt,
    fields: targetFields(exchange.url, warcinfoId),
    contentType: oneLine(
      exchange.responseHeaders.find(([name]) => name.toLowerCase() === "content-type")?.[1] ??
        "application/octet-stream",
    ),
    head: EMPTY,
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

/** Records the place and head of a separately stored file: a `response` record without the body would claim that it was empty. */
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
  readonly type: "warcinfo" | "response" | "revisit" | "resource" | "request" | "metadata";
  readonly at: number;
  /** Further header lines, each with its line end. */
  readonly fields: string;
  readonly contentType: string;
  /** The record's block is head and body; its payload is the body. */
  readonly head: Uint8Array;
  readonly body: Uint8Array;
  readonly hasPayload?: boolean;
  /** Of a payload that is not in the record. */
  readonly payloadDigest?: string;
}

const record = (parts: Parts): WarcRecord => {
  const id = `urn:uuid:${randomUUID()}`;
  const blockLength = parts.head.length + parts.body.length;
  const block = Buffer.concat([parts.head, parts.body], blockLength);
  const digest = parts.payloadDigest ?? sha256(parts.body);
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

/** ASCII without white space, as required in a header line. */
const warcUri = (url: string): string => URL.parse(url)?.href ?? encodeURI(url.toWellFormed());

const warcFields = (fields: readonly (readonly [string, string])[]): Uint8Array =>
  Buffer.from(fields.map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n\0]+/g, " ")}\r\n`).join(""));

type Headers = readonly (readonly [string, string])[];

const ORIGINAL = "X-Archive-Orig-";

/** The status line and headers, adapted to the body as it is stored. Ends with the empty line. */
export const responseHead = (exchange: Omit<Exchange, "body">, bodyLength: number): Uint8Array => {
  const { method, status, statusText, responseHeaders } = exchange;
  // Here Content-Length describes a body that was not sent (RFC 9110, 8.6).
  const isBodiless = method === "HEAD" || status === 204 || status === 304 || status < 200;
  const headers = isBodiless
    ? withoutTransferCoding(responseHeaders)
    : withLength(withoutTransferCoding(responseHeaders), bodyLength);
  return encodeHead(`HTTP/1.1 ${status} ${statusText}`, headers);
};

export const requestHead = (exchange: Omit<Exchange, "body">): Uint8Array => {
  const url = URL.parse(exchange.url);
  const path = url === null ? exchange.url : url.pathname + url.search;
  const sent = withoutTransferCoding(exchange.requestHeaders);
  const named = url === null || hasHeader(sent, "host") ? sent : [["host", url.host] as const, ...sent];
  const length = exchange.requestBody?.length ?? 0;
  const isLengthDue = length > 0 || hasHeader(named, "content-length");
  return encodeHead(`${exchange.method} ${path} HTTP/1.1`, isLengthDue ? withLength(named, length) : named);
};

const hasHeader = (headers: Headers, name: string): boolean =>
  headers.some(([key]) => key.toLowerCase() === name);

/** Bodies are stored without transfer coding: a reader must not undo it again. */
const withoutTransferCoding = (headers: Headers): Headers =>
  hasHeader(headers, "transfer-encoding")
    ? headers.map(([key, value]) => [key.toLowerCase() === "transfer-encoding" ? ORIGINAL + key : key, value])
    : headers;

const withLength = (headers: Headers, length: number): Headers => {
  const isRight = ([key, value]: readonly [string, string]) =>
    key.toLowerCase() === "content-length" && value.trim() === String(length);
  const claims = headers.filter(([key]) => key.toLowerCase() === "content-length");
  if (claims.length === 1 && claims.every(isRight)) return headers;
  return [
    ...headers.map(
      ([key, value]) => [key.toLowerCase() === "content-length" ? ORIGINAL + key : key, value] as const,
    ),
    ["content-length", String(length)],
  ];
};

const encodeHead = (firstLine: string, headers: Headers): Uint8Array => {
  let head = oneLine(firstLine);
  for (const [key, value] of headers) head += `\r\n${oneLine(key)}: ${oneLine(value)}`;
  head += "\r\n\r\n";
  // HTTP clients read header bytes as latin1: writing latin1 restores the original bytes.
  return Buffer.from(head, /[^\0-\xff]/.test(head) ? "utf8" : "latin1");
};

const oneLine = (value: string): string =>
  /[\r\n\0]/.test(value) ? value.replaceAll(/[\r\n\0]+/g, " ") : value;
