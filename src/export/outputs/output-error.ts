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

/** The results cannot be written. They are not lost: they are in the archive, and can be exported again. */
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

/** What the operating system said, in the house's words. */
export const toOutputError = (cause: unknown, path: string): OutputError => {
  const systemCode = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const [code, reason, wayOut] = REASONS[systemCode] ?? [
    "failed",
    `it cannot be written (${cause instanceof Error ? cause.message : String(cause)})`,
    "Choose another place and export again",
  ];
  return new OutputError(code, path, reason, wayOut, { cause });
};

const NOT_WRITABLE = [
  "not-writable",
  "you may not write there",
  "Choose a folder that is yours, or change its permissions",
] as const;
const NO_SPACE = [
  "no-space",
  "the disk is full",
  "Make room or choose another disk, then export again",
] as const;
const NO_FOLDER = [
  "no-folder",
  "the folder does not exist",
  "Create it first, or choose another one",
] as const;

const CLOSED = ["closed", "the reader has gone", "Nothing to do where that was meant, as with head"] as const;

const REASONS: Readonly<Record<string, readonly [OutputErrorCode, string, string]>> = {
  ENOENT: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: NOT_WRITABLE,
  EISDIR: ["not-writable", "there is a folder of that name", "Give the name of a file"],
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
  EPIPE: CLOSED,
  ERR_STREAM_DESTROYED: CLOSED,
};
