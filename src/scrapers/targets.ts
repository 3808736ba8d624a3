import type { AnyScraper } from "./scraper.ts";

/** The scrapers that a scraper emits to, directly or not, the nearest first; itself left out. */
export const targetsOf = (root: AnyScraper): AnyScraper[] => {
  const found = new Set([root]);
  // A set takes up what is added to it while it is gone through.
  for (const scraper of found)
    for (const { target } of scraper.emit ?? []) if (target !== "self") found.add(target);
  return [...found].slice(1);
};
