import type { PinnedScraper } from "./job.ts";
import { DIRECT } from "./proxy-ladder.ts";

type Laddered = Pick<PinnedScraper, "name" | "proxies">;

const ONLY_DIRECT = [DIRECT];

/** What is wrong with the tiers that a job asks for; undefined if each of its scrapers lists some of them, and none is unknown. */
export const narrowProblem = (
  scrapers: readonly Laddered[],
  asked: readonly string[],
): string | undefined => {
  const listed = new Set(scrapers.flatMap(({ proxies = ONLY_DIRECT }) => proxies));
  const unknown = asked.find((tier) => !listed.has(tier));
  const wrong = scrapers.find(({ proxies = ONLY_DIRECT }) => narrowed(proxies, asked).length === 0);
  const of = wrong ?? scrapers[0]!;
  const lists = `Scraper ${of.name} lists ${(of.proxies ?? ONLY_DIRECT).join(", ")}.`;
  if (unknown !== undefined) return `${unknown}: no scraper of the job lists this proxy tier. ${lists}`;
  return wrong && `${asked.join(", ")}: scraper ${of.name} lists none of these proxy tiers. ${lists}`;
};

/** In the order of the ladder. */
const narrowed = (ladder: readonly string[], asked: readonly string[]): readonly string[] =>
  ladder.filter((tier) => asked.includes(tier));

/** A changed scraper may no longer list any of them: then the job keeps its tiers. */
export const narrowScraper = <Scraper extends Laddered>(
  scraper: Scraper,
  asked: readonly string[] | undefined,
): Scraper => {
  if (!asked || !scraper.proxies) return scraper;
  const proxies = narrowed(scraper.proxies, asked);
  return { ...scraper, proxies: proxies.length > 0 ? proxies : asked };
};
