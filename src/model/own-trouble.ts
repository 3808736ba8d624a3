import { StopError } from "./stop-error.ts";

/** What this machine lacks: files, memory, room on its disk. None of it says anything about a site or a scraper. */
const CODES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "ENOMEM", "ENOBUFS", "ENOSPC", "EDQUOT"]);

/** The item goes back untouched, and its worker slows down. */
export class OwnTroubleError extends StopError {
  readonly code: string;
  constructor(code: string, detail: string, options?: ErrorOptions) {
    super(`${detail} (${code})`, options);
    this.name = "OwnTroubleError";
    this.code = code;
  }
}

/** Pass by themselves, also where the archive meets them; a disk that is full does not. */
const PASSING: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "ENOMEM"]);

/** Undefined where the error is not of this kind. */
export const ownTrouble = (error: unknown): OwnTroubleError | undefined => {
  if (error instanceof OwnTroubleError) return error;
  if (!(error instanceof Error)) return undefined;
  const [code, deeper] = [codeOf(error), codeOf(error.cause)];
  const found = CODES.has(code) ? code : PASSING.has(deeper) ? deeper : undefined;
  return found === undefined
    ? undefined
    : new OwnTroubleError(found, "this machine has run out of something", { cause: error });
};

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
