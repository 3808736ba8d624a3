import { fullPace, type JobPace, loweredPace, type CompiledScraper } from "../scrapers/compiled-scraper.ts";

/** `--rate` can only lower a pace that the scraper declares. If it declares none, the rate is the pace. */
export const paceAtRate =
  (rate: number | undefined, say: (text: string) => void = () => {}) =>
  ({ scraper, pace }: CompiledScraper): JobPace => {
    const declared = scraper.pace?.perSecond;
    if (rate === undefined || rate <= pace.perSecond) return loweredPace(pace, { perSecond: rate });
    if (declared === undefined) return { pace: fullPace({ ...scraper.pace, perSecond: rate }) };
    say(
      `--rate ${rate} is above the pace of scraper ${scraper.name}; the job runs at ${declared} requests per second.`,
    );
    return { pace };
  };
