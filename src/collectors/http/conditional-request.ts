import type { StoredCapture } from "../../domain/capture.ts";
import type { Validators } from "../../ports/collector.ts";
import type { Received } from "./item-requests.ts";
import type { ItemRequest } from "./redirect.ts";
import { ResponseHead } from "./response-head.ts";

/** Asks only for what has changed since. The caller's own conditions go before: then the answer is theirs. */
export const conditionalRequest = (request: ItemRequest, known: Validators): ItemRequest | undefined => {
  const isTheirs = "if-none-match" in request.headers || "if-modified-since" in request.headers;
  if (isTheirs || request.method !== "GET" || request.url.href !== known.url) return undefined;
  const headers = {
    ...request.headers,
    ...(known.etag && { "if-none-match": known.etag }),
    ...(known.lastModified && { "if-modified-since": known.lastModified }),
  };
  return { ...request, headers };
};

/** For where a redirect leads: what is known of one page says nothing of another. */
export const withoutConditions = (request: ItemRequest): ItemRequest => {
  const { "if-none-match": _etag, "if-modified-since": _since, ...headers } = request.headers;
  return { ...request, headers };
};

/** The stored page in place of a 304, with the headers that came now in place of its own (RFC 9111, 4.3.4). */
export const withStored = (notModified: Received, { status, headers, body }: StoredCapture): Received => {
  const { exchange, cookie } = notModified;
  const isAbout = ([name]: readonly [string, string]) => !OF_THE_BODY.test(name);
  const answered = exchange.responseHeaders.filter(isAbout);
  const replaced = new Set([...OF_THE_ANSWER, ...answered.map(([name]) => name.toLowerCase())]);
  const merged = [...headers.filter(([name]) => !replaced.has(name.toLowerCase())), ...answered];
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const known = { ...exchange, status, statusText: "", responseHeaders: merged, body: bytes };
  return { cookie, head: new ResponseHead(status, "", merged.flat()), body: bytes, exchange: known };
};

/** They describe the stored bytes, whatever the 304 says. */
const OF_THE_BODY = /^(content-(encoding|length|type|range)|transfer-encoding)$/i;
/** They tell when the stored answer was made: a 304 without them is of now. */
const OF_THE_ANSWER = ["date", "age"];
