import { fullPace, type JobPace, loweredPace, type CompiledScraper } from "../scrapers/compiled-scraper.ts";

/** `--rate` can only lower the pace that a scraper declares; where it declares none, a higher rate is the pace. */
export const paceAtRate =
  (rate: number | undefined, say: (text: string) => void = () => {}) =>
  ({ scraper, pace }: CompiledScraper): JobPace => {
    const declared = scraper.pace?.perSecond;
    if (rate === undefined || rate <= pace.perSecond) return loweredPace(pace, { perSecond: rate });
    if (declared === undefined) return { pace: fullPace({ ...scraper.pace, perSecond: rate }) };
    say(
      `--rate ${rate} is above what the scraper ${scraper.name} allows; it stays at ${declared} requests a second.`,
    );
    return { pace };
  };
