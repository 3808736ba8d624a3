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

/** A CSS selector that cannot be read: a mistake in a scraper, found when the scraper is loaded. */
export class SelectorError extends Error {
  readonly code = "bad-selector";
  readonly selector: string;
  constructor(selector: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`bad selector ${JSON.stringify(selector)}: ${reason}`, { cause });
    this.name = "SelectorError";
    this.selector = selector;
  }
}
