/**
 * no-page: the pages to read were not kept. bad-spec: the `extract` block is invalid. bad-return: an `extract` function returned
 * something other than records. bad-check: `extract.check` threw or named an unknown field. All are errors in the scraper.
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

/** An invalid CSS selector in a scraper, found when the scraper is loaded. */
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
