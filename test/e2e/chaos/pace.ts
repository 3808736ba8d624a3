/** Of each host, see `scrapers/county-hosts.scraper.ts`. */
export const PACE = { perSecond: 10, burst: 1, concurrency: 8 };
