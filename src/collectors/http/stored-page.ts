import type { KeptPage } from "../../domain/capture.ts";
import { decodeBodyNow, isGzipFile } from "./decode-body.ts";
import { decodeText, detectCharset, readContentType } from "./decode-text.ts";

/** A response as the archive gives it back: the body content-encoded, as it came over the wire. */
export interface StoredResponse {
  readonly url: string;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

/** It was collected once, so it kept to its scraper's limits; this is only against bytes that were put there by somebody else. */
const MOST_BYTES = 256 * 1024 * 1024;

/** The page that extraction read when it was collected. Throws `BodyError` where its body cannot be decoded. */
export const storedPage = (name: string, { url, status, headers, body }: StoredResponse): KeptPage => {
  const wire = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const sent = decodeBodyNow(wire, headerOf(headers, "content-encoding"), MOST_BYTES);
  const { mediaType, charset } = readContentType(headerOf(headers, "content-type"));
  const bytes = isGzipFile(sent, mediaType, url) ? decodeBodyNow(sent, "gzip", MOST_BYTES) : sent;
  const text = decodeText(bytes, detectCharset(bytes, mediaType, charset));
  return { name, url, status, mediaType, text };
};

const headerOf = (headers: StoredResponse["headers"], name: string): string | undefined => {
  for (const [key, value] of headers)
    if (key.length === name.length && key.toLowerCase() === name) return value;
  return undefined;
};
