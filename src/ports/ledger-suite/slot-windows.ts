import assert from "node:assert/strict";
import type { Pace } from "../../domain/job-version.ts";

const WINDOWS_MS = [100, 333, 1000, 2500, 10_000];

/** The most starts that any half-open window of this length sees. */
const mostIn = (times: readonly number[], windowMs: number): number => {
  let most = 0;
  let from = 0;
  for (let to = 0; to < times.length; to++) {
    while (times[to]! - times[from]! >= windowMs) from++;
    most = Math.max(most, to - from + 1);
  }
  return most;
};

/**
 * Law 3: no window sees more than rate × W + burst. In a window that is no whole number of intervals, the interval that was
 * begun counts as a whole one (see `slots.ts`).
 */
export const keepsPace = (
  starts: readonly number[],
  { perSecond, burst }: Pick<Pace, "perSecond" | "burst">,
): void => {
  const times = starts.toSorted((a, b) => a - b);
  for (const windowMs of WINDOWS_MS) {
    const most = mostIn(times, windowMs);
    const allowed = Math.ceil((perSecond * windowMs) / 1000 - 1e-9) + burst;
    assert.ok(
      most <= allowed,
      `${most} starts in ${windowMs} ms, ${allowed} allowed (${perSecond}/s, burst ${burst})`,
    );
  }
};
