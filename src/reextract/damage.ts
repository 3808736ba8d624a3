import { ArchiveError } from "../archive/manifest.ts";
import { BlobError } from "../ports/blobs.ts";

/** Hears of stored bytes that cannot be read. Where it returns, they count as not there; where it throws, that is the end. */
export type OnDamage = (error: StorageError) => void;

export type StorageError = ArchiveError | BlobError;

export const isStorageError = (error: unknown): error is StorageError =>
  error instanceof ArchiveError || error instanceof BlobError;

export const refuseDamage: OnDamage = (error) => {
  throw error;
};
