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
