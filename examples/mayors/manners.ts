/**
 * How the scrapers treat the site. Its timeouts mean "too many requests": they slow the lane, as timeouts do anyway, and are no reason
 * for the breaker to hold the job. `MAYORS_SLOW_DOWN=no` leaves the slowing out and nothing else, for comparison.
 */
export const failures = {
  timeout: { maxAttempts: 4, breakerWeight: 0, slowsLane: process.env["MAYORS_SLOW_DOWN"] !== "no" },
};
/** More than twice what the site can serve. */
export const pace = { perSecond: 150, concurrency: 200 };
export const limits = { requestMs: Number(process.env["MAYORS_REQUEST_MS"] ?? 2500) };
