export type OutputErrorCode =
  | "unknown-extension"
  | "no-folder"
  | "not-writable"
  | "no-space"
  | "closed"
  | "bad-value"
  | "no-such-field"
  | "no-changes"
  | "failed";

/** The results cannot be written. They are still in the archive, and can be exported again. */
export class OutputError extends Error {
  readonly code: OutputErrorCode;
  readonly path: string;
  constructor(code: OutputErrorCode, path: string, reason: string, wayOut: string, options?: ErrorOptions) {
    super(`${path}: ${reason}. ${wayOut}.`, options);
    this.name = "OutputError";
    this.code = code;
    this.path = path;
  }
}
