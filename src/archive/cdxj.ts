import type { Exchange } from "../domain/capture.ts";

export interface IndexedPlace {
  readonly offset: number;
  readonly length: number;
  readonly digest: string;
}

/** One line without its end: key and 14-digit time for sorting, then a JSON object. All values are text, as in other tools. */
export const cdxjLine = (exchange: Omit<Exchange, "body">, place: IndexedPlace, filename: string): string => {
  const url = URL.parse(exchange.url)?.href ?? exchange.url;
  const mime = exchange.same
    ? "warc/revisit"
    : headerOf(exchange.responseHeaders, "content-type")?.split(";", 1)[0]?.trim();
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

/** The index's description of its segment. */
interface SegmentSeal {
  readonly filename: string;
  readonly length: number;
  /** Digest of the whole file. */
  readonly digest: string;
}

/**
 * Keys are ASCII, so the order of code units is the byte order that binary search needs. The first line describes the segment. It begins with
 * `!`, which no key does, so that a search skips it.
 */
export const cdxjFile = (lines: readonly string[], seal: SegmentSeal): Uint8Array =>
  Buffer.from(
    [`!meta ${JSON.stringify({ ...seal, length: String(seal.length) })}`, ...lines.toSorted()]
      .map((line) => `${line}\n`)
      .join(""),
  );

/**
 * The sort key of CDXJ indexes: host labels from the top level down, without `www`, in lower case, query parameters
 * sorted. Anything but an http(s) URL is returned unchanged.
 */
export const surt = (url: string): string => {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return url;
  const host = parsed.hostname.replace(/^www\d*\.(?=.)/, "");
  const labels = host.startsWith("[") ? host : host.split(".").toReversed().join(",");
  const port = parsed.port === "" ? "" : `:${parsed.port}`;
  const query =
    parsed.search === "" ? "" : `?${parsed.search.slice(1).toLowerCase().split("&").toSorted().join("&")}`;
  return `${labels}${port})${parsed.pathname}${query}`.toLowerCase();
};

type Headers = readonly (readonly [string, string])[];

const headerOf = (headers: Headers, name: string): string | undefined =>
  headers.find(([key]) => key.toLowerCase() === name)?.[1];

/** Without parameters, in lower case; octets if the site sends no type (RFC 9110, 8.3). */
export const mediaTypeOf = (headers: Headers): string => {
  const value = headerOf(headers, "content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  return value === undefined || value === "" ? "application/octet-stream" : value;
};

const PACKED =
  /^(image\/(?!svg|bmp)|audio\/|video\/|font\/woff)|[/+](pdf|zip|gzip|zstd|x-7z-compressed|x-rar-compressed)$/;

/** Bytes that are already compressed: compressing them again costs time and saves nothing. */
export const isCompressed = (headers: Headers): boolean =>
  /\b(gzip|br|zstd|deflate)\b/i.test(headerOf(headers, "content-encoding") ?? "") ||
  PACKED.test(mediaTypeOf(headers));
