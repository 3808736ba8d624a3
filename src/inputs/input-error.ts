export type InputErrorCode =
  | "not-found"
  | "unreadable"
  | "empty"
  | "no-header"
  | "bad-header"
  | "bad-json"
  | "bad-encoding"
  | "bad-gzip"
  | "expands"
  | "unknown-format";

/** The inputs as a whole cannot be read. A single bad row is no error but a `problem` in its place. */
export class InputError extends Error {
  readonly code: InputErrorCode;
  readonly file: string;
  readonly line: number | undefined;
  constructor(
    code: InputErrorCode,
    at: { readonly file: string; readonly line?: number },
    reason: string,
    wayOut: string,
    options?: ErrorOptions,
  ) {
    super(`${at.file}${at.line === undefined ? "" : `:${at.line}`}: ${reason}. ${wayOut}.`, options);
    this.name = "InputError";
    this.code = code;
    this.file = at.file;
    this.line = at.line;
  }
}
