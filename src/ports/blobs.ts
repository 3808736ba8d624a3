import type { Cost } from "../domain/cost.ts";

/**
 * Where bytes are kept. Names are relative, `/`-separated paths (see `checkBlobName`).
 *
 * Putting a name again replaces the object in one step: a reader sees the old bytes or the new ones, never a mix and
 * never nothing. Only a job's manifest and marks are ever rewritten; every other object is put once, so a range of it stays true.
 */
export interface Blobs {
  /** How long what can share an object should gather before it is put: the more a put costs, the longer. */
  readonly gatherMs: number;
  /**
   * Returns when the object is durable: a crash of machine or process after that does not lose it. Until then, and
   * for ever when the body throws or the process dies, the name is as it was before. Chunks may be reused by the
   * body once the next one is asked for.
   */
  put(name: string, body: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ readonly size: number }>;
  /**
   * The whole object, or `length` bytes from `offset`: fewer where the object ends before, none past its end.
   * Throws `BlobError` with code `not-found`.
   */
  get(name: string, range?: { readonly offset: number; readonly length: number }): Promise<Uint8Array>;
  /** Streams a whole object. */
  stream(name: string): AsyncIterable<Uint8Array>;
  /** Names and sizes of the objects whose name starts with `prefix` (any string), in byte order of name. */
  list(prefix: string): AsyncIterable<{ readonly name: string; readonly size: number }>;
  /** Removing a missing object is not an error. */
  remove(name: string): Promise<void>;
  /** The same for many, where that is faster than one after another. */
  removeMany?(names: readonly string[]): Promise<void>;
  /** Where requests are paid for. */
  readonly usage?: BlobUsage;
  /** Puts objects that were made together in fewer requests than one for each. Durable and visible together, or not at all. */
  putTogether?(parts: readonly BlobPart[]): Promise<void>;
  /** Puts small objects of a job together that were put before, so that reading it needs fewer requests. Their names stay. */
  join?(
    job: string,
    options?: { readonly least?: number; readonly signal?: AbortSignal },
  ): Promise<{ readonly segments: number; readonly bytes: number }>;
  /** Puts a small object if there is none of this name: of several at once, exactly one gets `true`. */
  putOnce?(name: string, body: Uint8Array): Promise<boolean>;
  /** A URL that downloads the whole object until it expires, without other credentials. */
  link?(name: string, options: { readonly expiresInSec: number }): Promise<string>;
  /** Discards the invisible parts of puts that started this long ago and never ended. Returns their number. */
  abortAbandoned?(olderThanMs: number): Promise<number>;
}

export interface BlobPart {
  readonly name: string;
  readonly chunks: readonly Uint8Array[];
}

/** Requests to a store that is paid by request. */
export interface BlobUsage {
  /** Registers a function that is called with every later request. */
  watch(told: (request: BlobRequest) => void): void;
  /** What this process has asked for a job's objects since the last call, and its price; undefined for nothing. */
  take(job: string): Cost | undefined;
}

/** One of them. */
export interface BlobRequest {
  readonly kind: "write" | "read" | "list" | "delete";
  /** The object's name, or the prefix of a list. */
  readonly name: string;
  /** 0 for more bytes of an earlier request. */
  readonly requests: number;
  readonly bytes: number;
}

/** The job that an object belongs to. */
export const jobOfBlob = (name: string): string | undefined => /^jobs\/([^/]+)\//.exec(name)?.[1];

export const removeAll = async (blobs: Blobs, names: readonly string[]): Promise<void> => {
  if (blobs.removeMany) await blobs.removeMany(names);
  else for (const name of names) await blobs.remove(name);
};

export type BlobErrorCode = "not-found" | "bad-name" | "no-space" | "read-only" | "unavailable";

export class BlobError extends Error {
  readonly code: BlobErrorCode;
  readonly blob: string;
  constructor(code: BlobErrorCode, blob: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "BlobError";
    this.code = code;
    this.blob = blob;
  }
}

/** No leading dot: that keeps `.` and `..` out and leaves dot names to a backend's own files. ASCII: one byte order everywhere. */
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9_.=+@~,-]{0,199}$/;
const MAX_LENGTH = 900; // S3 ends at 1,024 bytes, its prefix included

/** The gate that every backend puts in front of `put`, `get`, `stream` and `remove`. */
export const checkBlobName = (name: string): void => {
  if (name.length > MAX_LENGTH || !name.split("/").every((segment) => SEGMENT.test(segment)))
    throw new BlobError(
      "bad-name",
      name,
      `bad blob name ${JSON.stringify(name)}: use segments of A-Z a-z 0-9 _ . = + @ ~ , - joined by "/", none empty or starting with a dot or a sign`,
    );
};
