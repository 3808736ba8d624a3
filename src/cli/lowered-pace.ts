import type { Pace } from "../model/pace.ts";
import { fullPace, type ReadyScraper } from "../scrapers/ready-scraper.ts";

/** A job can only lower the pace that a scraper declares; where it declares none, the rate asked for is the pace. */
export const loweredPace =
  (rate: number | undefined, say: (text: string) => void = () => {}) =>
  (ready: ReadyScraper): Pace => {
    if (rate === undefined) return ready.pace;
    const declared = ready.scraper.pace?.perSecond;
    if (declared === undefined) return fullPace({ ...ready.scraper.pace, perSecond: rate });
    if (rate > declared)
      say(
        `--rate ${rate} is above what the scraper ${ready.scraper.name} allows; it stays at ${declared} requests a second.`,
      );
    return fullPace({ ...ready.scraper.pace, perSecond: Math.min(rate, declared) });
  };
