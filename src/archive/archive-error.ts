export type ArchiveErrorCode = "damaged";

/** Stored bytes are not what was stored. Names the blob and what did not fit. */
export class ArchiveError extends Error {
  readonly code: ArchiveErrorCode;
  readonly blob: string;
  constructor(code: ArchiveErrorCode, blob: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ArchiveError";
    this.code = code;
    this.blob = blob;
  }
}
