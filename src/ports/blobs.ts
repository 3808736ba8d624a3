/** Where bytes are kept. Names are relative, `/`-separated paths; an object never changes once put. */
export interface Blobs {
  /** Returns when the object is durable: a crash of machine or process after that does not lose it. */
  put(name: string, body: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ readonly size: number }>;
  /** The whole object, or `length` bytes from `offset`. Throws `BlobError` with code `not-found`. */
  get(name: string, range?: { readonly offset: number; readonly length: number }): Promise<Uint8Array>;
  /** Streams a whole object. */
  stream(name: string): AsyncIterable<Uint8Array>;
  /** Names and sizes below a prefix, in order of name. */
  list(prefix: string): AsyncIterable<{ readonly name: string; readonly size: number }>;
  remove(name: string): Promise<void>;
}

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
