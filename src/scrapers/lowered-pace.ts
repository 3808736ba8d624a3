import type { PinnedScraper } from "../model/job.ts";
import type { Pace } from "../model/pace.ts";
import { defaultBurst } from "../model/slots.ts";

/** The pace of a job's items, and the scraper's own where the job has asked for less. */
export type JobPace = Pick<PinnedScraper, "pace" | "sitePace">;

/** A job can only lower the pace of its scrapers, for its own items. */
export const loweredPace = (
  site: Pace,
  asked: { readonly perSecond?: number | undefined; readonly concurrency?: number | undefined },
): JobPace => {
  const perSecond = Math.min(asked.perSecond ?? Infinity, site.perSecond);
  const concurrency = Math.min(asked.concurrency ?? Infinity, site.concurrency);
  if (perSecond === site.perSecond && concurrency === site.concurrency) return { pace: site };
  const burst = perSecond < site.perSecond ? Math.min(site.burst, defaultBurst(perSecond)) : site.burst;
  return { pace: { perSecond, burst, concurrency }, sitePace: site };
};
