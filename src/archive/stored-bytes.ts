import { hash } from "node:crypto";
import { BlobError } from "../ports/blobs.ts";

/** Lower-case hex after the name of the algorithm: how refs, WARC headers and CDXJ write a digest. */
export const sha256 = (bytes: Uint8Array): string => `sha256:${hash("sha256", bytes, "hex")}`;

/** Stored bytes differ from what was written. Names the blob and the mismatch. */
export class ArchiveError extends Error {
  readonly code = "damaged";
  readonly blob: string;
  /** Key of the item that owns these records, if no other item is affected. */
  readonly item: string | undefined;
  constructor(
    blob: string,
    message: string,
    { item, ...options }: ErrorOptions & { readonly item?: string } = {},
  ) {
    super(message, options);
    this.name = "ArchiveError";
    this.blob = blob;
    this.item = item;
  }
}

export type StorageError = ArchiveError | BlobError;

export const isStorageError = (error: unknown): error is StorageError =>
  error instanceof ArchiveError || error instanceof BlobError;

/** Receives errors about stored bytes that cannot be read. If it returns, they are treated as absent; if it throws, reading ends. */
export type OnDamage = (error: StorageError) => void;

export const refuseDamage: OnDamage = (error) => {
  throw error;
};

/** Undefined if the object does not exist. */
export const ifFound = async <Result>(read: Promise<Result>): Promise<Result | undefined> => {
  try {
    return await read;
  } catch (error) {
    if (error instanceof BlobError && error.code === "not-found") return undefined;
    throw error;
  }
};

/** A small JSON object with a digest of its other members, so that any changed byte is noticed. */
export const sealJson = (value: object): Uint8Array =>
  Buffer.from(`${JSON.stringify({ ...value, digest: digestOf(value) }, undefined, 2)}\n`);

/** The object without its digest. Throws `SyntaxError` on a mismatch; an object without a digest comes from an older version. */
export const openSealedJson = <Shape extends object>(bytes: Uint8Array): Shape => {
  const text = Buffer.from(bytes).toString();
  const value = JSON.parse(text) as (Shape & { readonly digest?: string }) | null;
  if (typeof value !== "object" || value === null) throw new SyntaxError("not an object");
  const { digest, ...rest } = value;
  if (digest === undefined) return value;
  if (digest !== digestOf(rest) || !Buffer.from(bytes).equals(sealJson(rest)))
    throw new SyntaxError("digest mismatch");
  return rest as Shape;
};

const digestOf = (value: object): string => sha256(Buffer.from(JSON.stringify(value)));

/** A `put` body that is already in memory, without joining its parts. */
export async function* chunksOf(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}
