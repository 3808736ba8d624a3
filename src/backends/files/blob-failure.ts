import { BlobError } from "../../ports/blobs.ts";

export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** Also where a part of the path is a file, or the path a folder: no blob is there. */
export const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR", "EISDIR"].includes(codeOf(error));

/** Says what a system call's failure means for the blob: what happened, where, and the way out. */
export const blobFailure = (error: unknown, folder: string, blob: string): unknown => {
  if (error instanceof BlobError) return error;
  const because = { cause: error };
  switch (codeOf(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return new BlobError(
        "no-space",
        blob,
        `no space left for ${blob} in ${folder}: free some space there, then continue with \`sluice resume\`; nothing that was stored is lost`,
        because,
      );
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return new BlobError(
        "read-only",
        blob,
        `no right to use ${blob} in ${folder}: let this user read and write there or choose another folder for blobs`,
        because,
      );
    case "EISDIR":
    case "ENOTDIR":
    case "EEXIST":
      return new BlobError(
        "bad-name",
        blob,
        `bad blob name ${blob}: another blob in ${folder} needs a part of it as a folder, or is that folder`,
        because,
      );
    case "":
      return error;
    default:
      return new BlobError("unavailable", blob, `cannot use ${blob} in ${folder}: ${String(error)}`, because);
  }
};

/** The same for a verb that only reads. */
export const readFailure = (error: unknown, folder: string, blob: string): unknown =>
  isMissing(error)
    ? new BlobError("not-found", blob, `no blob ${blob} in ${folder}`, { cause: error })
    : blobFailure(error, folder, blob);
