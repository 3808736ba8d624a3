import type { AnyScraper, Scraper } from "./scraper.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** Typed from the input schema to `collect`; what it returns is checked once more when it is loaded. */
export const defineScraper = <Input>(
  scraper: Omit<Scraper<Input>, "input"> & { readonly input: StandardSchema<unknown, Input> },
): AnyScraper => scraper as unknown as AnyScraper;
