/**
 * no-page: the pages to read were not kept. bad-spec: the `extract` block itself makes no sense. bad-return: an `extract`
 * function gave something that is no record. bad-check: `extract.check` failed or named no field. All are the scraper's fault.
 */
type ExtractionErrorCode = "no-page" | "bad-spec" | "bad-return" | "bad-check";

export class ExtractionError extends Error {
  readonly code: ExtractionErrorCode;
  constructor(code: ExtractionErrorCode, message: string) {
    super(message);
    this.name = "ExtractionError";
    this.code = code;
  }
}
