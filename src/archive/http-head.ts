import type { Exchange } from "../model/capture.ts";

type Headers = readonly (readonly [string, string])[];

const ORIGINAL = "X-Archive-Orig-";

/** The status line and headers as they came, made true for the body as it is stored. Ends with the empty line. */
export const responseHead = (exchange: Omit<Exchange, "body">, bodyLength: number): Uint8Array => {
  const { method, status, statusText, responseHeaders } = exchange;
  // There the length is that of a body that was not sent (RFC 9110, 8.6).
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

/** Bodies are stored as they were before transfer coding: a reader must not undo it a second time. */
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
  // HTTP clients read header bytes as latin1: writing them so gives the bytes of the wire.
  return Buffer.from(head, /[^\0-\xff]/.test(head) ? "utf8" : "latin1");
};

const oneLine = (value: string): string =>
  /[\r\n\0]/.test(value) ? value.replaceAll(/[\r\n\0]+/g, " ") : value;
