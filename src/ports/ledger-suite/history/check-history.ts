import { checkItems } from "./check-items.ts";
import { checkJobs, checkStops } from "./check-jobs.ts";
import { checkSlots } from "./check-slots.ts";
import type { Call, Violation } from "./history.ts";
import { HistoryIndex } from "./history-index.ts";

interface CheckOptions {
  /** How long a silent worker keeps its leases. Left out, it may lose them at any time. */
  readonly leaseMs?: number;
  /** How far the clocks of the workers that return slots may differ from the ledger's, including transport; default 0. */
  readonly slackMs?: number;
}

/**
 * Looks for answers that break a law of the ledger in every possible order of concurrent calls, and whether or not calls without an answer took
 * effect. It needs no model of the ledger and no search. It cannot find what no call shows.
 */
export const checkHistory = (
  history: readonly Call[],
  { leaseMs = -Infinity, slackMs = 0 }: CheckOptions = {},
): readonly Violation[] => {
  const index = new HistoryIndex(history, leaseMs);
  return [...checkItems(index), ...checkSlots(index, slackMs), ...checkJobs(index), ...checkStops(index)];
};
