import assert from "node:assert/strict";
import type { Pace } from "../../../src/domain/job-version.ts";
import { readLines } from "../county-process.ts";

const WINDOWS_MS = [1000, 5000, 20_000];

/**
 * Holds the site's own log of arrivals against the pace, in any window. Returns how many there were, and the most in any second.
 * `seenLateMs`: the site writes down an arrival when it gets to it; on a busy machine, what came one by one is seen at once.
 */
export const assertPace = (
  log: string,
  { perSecond, burst }: Pick<Pace, "perSecond" | "burst">,
  seenLateMs: number,
): { readonly requests: number; readonly mostInASecond: number } => {
  const lines = readLines<{ readonly at: number; readonly host: string }>(log);
  const hosts = [...Map.groupBy(lines, ({ host }) => host)];
  for (const [host, arrivals] of hosts)
    for (const windowMs of WINDOWS_MS) {
      const most = mostIn(timesOf(arrivals), windowMs);
      const allowed = Math.ceil((perSecond * (windowMs + seenLateMs)) / 1000) + burst;
      assert.ok(most <= allowed, `${host}: ${most} requests in ${windowMs} ms, ${allowed} allowed`);
    }
  const mostInASecond = Math.max(...hosts.map(([, arrivals]) => mostIn(timesOf(arrivals), 1000)));
  return { requests: lines.length, mostInASecond };
};

/** The log is in the order in which requests ended. */
const timesOf = (arrivals: readonly { readonly at: number }[]): number[] =>
  arrivals.map(({ at }) => at).sort((a, b) => a - b);

/** The window may start at any of them. */
const mostIn = (times: readonly number[], windowMs: number): number => {
  let [most, from] = [0, 0];
  for (let to = 0; to < times.length; to++) {
    while (times[to]! - times[from]! >= windowMs) from++;
    most = Math.max(most, to - from + 1);
  }
  return most;
};
