/** One HTTP exchange as it happened, handed to the archive. Redirects are exchanges of their own. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly startedAt: number;
  /** Name and value pairs in the order they were sent, secrets already redacted. */
  readonly requestHeaders: readonly (readonly [string, string])[];
  readonly requestBody?: Uint8Array;
  readonly status: number;
  readonly statusText: string;
  /** Secrets (session cookies) already redacted. */
  readonly responseHeaders: readonly (readonly [string, string])[];
  /** The body as it came over the wire: still content-encoded, transfer coding removed. */
  readonly body: Uint8Array;
  /** The body was not read, and `body` is empty: by its `bodyKey` it is that of an earlier exchange of the job, which is stored. */
  readonly same?: StoredBody;
  /** Made from responses, not received: a final DOM or a picture of it. Its URL has one of the `RESOURCE_PREFIXES`. */
  readonly isResource?: true;
}

/** The body of an exchange that is stored, for later ones that refer to it. */
export interface StoredBody {
  /** When that exchange started. */
  readonly at: number;
  readonly length: number;
  readonly digest: string;
}

/**
 * Two responses with the same key have the same body: a strong validator promises that for its URL (RFC 9110, 8.8.1). The length is part of it, because
 * nothing else limits a body that is not read. Undefined where a response makes no such promise.
 */
export const bodyKey = ({
  method,
  url,
  status,
  responseHeaders,
}: Omit<Exchange, "body">): string | undefined => {
  const valueOf = (name: string): string | undefined =>
    responseHeaders.find(([key]) => key.toLowerCase() === name)?.[1];
  const [etag = "", length] = [valueOf("etag"), valueOf("content-length")];
  if (method !== "GET" || status !== 200 || length === undefined || !etag.startsWith('"')) return undefined;
  const coding = valueOf("content-encoding") ?? valueOf("x-orig-content-encoding");
  return JSON.stringify([url, etag, length, coding, valueOf("content-type")]);
};

/** What was made, in front of the URL of the page that it was made from. */
export const RESOURCE_PREFIXES = {
  dom: "urn:dom:",
  screenshot: "urn:screenshot:",
  pdf: "urn:pdf:",
} as const;

/** The URL of the page that a resource was made from; any other URL unchanged. */
export const pageUrlOf = (url: string): string => {
  for (const prefix of Object.values(RESOURCE_PREFIXES))
    if (url.startsWith(prefix)) return url.slice(prefix.length);
  return url;
};

/** Where archived bytes are: a range of one blob. */
export interface BlobRange {
  readonly blob: string;
  readonly offset: number;
  readonly length: number;
}

/** Where an item's records are. */
export interface RecordRange extends BlobRange {
  /** `sha256:<hex>` of the range; absent in what older versions wrote, which is read without a check. */
  readonly digest?: string;
}

/** What the ledger and the manifest remember of a kept capture. */
export interface CaptureRef extends BlobRange {
  readonly name: string;
  readonly url: string;
  readonly mediaType: string;
  /** `sha256:<hex>` of the body as it came over the wire. */
  readonly digest: string;
}

/** A response read back from the archive. */
export interface StoredCapture {
  readonly ref: CaptureRef;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** As it came over the wire, content-encoded. */
  readonly body: Uint8Array;
}

/** A page that extraction reads: what `keep.page` named, decoded. */
export interface KeptPage {
  /** The name that `keep.page` gave it. */
  readonly name: string;
  /** Final URL, after redirects. */
  readonly url: string;
  /** The HTTP status. */
  readonly status: number;
  /** For example `text/html`: lower case, without parameters. */
  readonly mediaType: string;
  /** The body, decompressed and decoded by its charset. */
  readonly text: string;
}
