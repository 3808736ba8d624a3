export type ScraperLoadErrorCode = "unknown-scraper" | "broken-scraper" | "bad-scraper" | "changed-scraper";

/** A scraper that cannot be run: the message names the file, the reason and the way out. */
export class ScraperLoadError extends Error {
  readonly code: ScraperLoadErrorCode;
  constructor(code: ScraperLoadErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ScraperLoadError";
    this.code = code;
  }
}
