import type { Exchange } from "../model/capture.ts";
import { headerOf } from "./media-type.ts";
import { surt } from "./surt.ts";

export interface IndexedPlace {
  readonly offset: number;
  readonly length: number;
  readonly digest: string;
}

/** One line, without its end: key and 14-digit time to sort by, then the facts; all values are text, as other tools write them. */
export const cdxjLine = (exchange: Omit<Exchange, "body">, place: IndexedPlace, filename: string): string => {
  const url = URL.parse(exchange.url)?.href ?? exchange.url;
  const mime = headerOf(exchange.responseHeaders, "content-type")?.split(";", 1)[0]?.trim();
  const facts = {
    url,
    ...(mime ? { mime } : {}),
    status: String(exchange.status),
    digest: place.digest,
    length: String(place.length),
    offset: String(place.offset),
    filename,
    ...(exchange.method === "GET" ? {} : { method: exchange.method }),
  };
  const time = new Date(exchange.startedAt).toISOString().replaceAll(/\D/g, "").slice(0, 14);
  return `${surt(url)} ${time} ${JSON.stringify(facts)}`;
};

/** A segment as its index describes it. */
export interface SegmentSeal {
  readonly filename: string;
  readonly length: number;
  /** Of the whole file. */
  readonly digest: string;
}

/**
 * Keys are ASCII, so the order of code units is the byte order that binary search needs. The first line describes the segment: it begins with
 * `!`, which no key does, so that a search passes it over.
 */
export const cdxjFile = (lines: readonly string[], seal: SegmentSeal): Uint8Array =>
  Buffer.from(
    [`!meta ${JSON.stringify({ ...seal, length: String(seal.length) })}`, ...lines.toSorted()]
      .map((line) => `${line}\n`)
      .join(""),
  );
