export type LedgerErrorCode =
  | "no-such-job"
  | "job-exists"
  | "job-ended"
  | "lower-cap"
  | "job-running"
  | "job-removed"
  | "locked"
  | "no-space"
  | "read-only"
  | "newer-version"
  | "other-version"
  | "damaged"
  | "damaged-row"
  | "no-access"
  | "unavailable";

export class LedgerError extends Error {
  readonly code: LedgerErrorCode;
  constructor(code: LedgerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "LedgerError";
    this.code = code;
  }
}
