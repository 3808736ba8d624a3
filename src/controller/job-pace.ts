import type { Pace } from "../model/pace.ts";
import { fullPace, type ReadyScraper } from "../scrapers/ready-scraper.ts";
import type { AskedOptions } from "./schemas/job-options.ts";

/** A job can only lower the pace of its scrapers. */
export const loweredPace =
  (asked: AskedOptions["pace"]) =>
  ({ pace, scraper }: ReadyScraper): Pace => {
    if (asked === undefined) return pace;
    const perSecond = Math.min(asked.perSecond ?? Infinity, pace.perSecond);
    const concurrency = Math.min(asked.concurrency ?? Infinity, pace.concurrency);
    return perSecond === pace.perSecond
      ? { ...pace, concurrency }
      : fullPace({ ...scraper.pace, perSecond, concurrency });
  };
