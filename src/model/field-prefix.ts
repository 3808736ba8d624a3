/** What stands before a scraper's fields among its job's: nothing for the root's, so that counts of two scrapers do not mix. */
export const fieldPrefix = (root: string, scraper: string): string => (scraper === root ? "" : `${scraper}.`);
