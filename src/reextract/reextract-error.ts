type ReextractErrorCode =
  | "nothing-stored"
  | "nothing-to-extract"
  | "no-extract"
  | "no-such-extraction"
  | "scraper-gone"
  | "scraper-hangs"
  | "changed-meanwhile"
  | "interrupted"
  | "does-not-fit"
  | "still-in-hand";

/** Why stored pages cannot be extracted again, or a set of records not be found: the message names the way out. */
export class ReextractError extends Error {
  readonly code: ReextractErrorCode;
  constructor(code: ReextractErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ReextractError";
    this.code = code;
  }
}
