import type { Failure } from "../model/failure.ts";
import type { ClaimedItem, SettledItem } from "../ports/ledger.ts";

const LEFT_IN_DOUBT: Failure = {
  kind: "worker-lost",
  detail: "its acting request had left, and what came of it could not be kept; not tried again by itself",
};

/** An item that is let go, or whose bytes could not be kept, is not at fault: it goes back as it was, unless it has acted. */
export const givenBack = ({ queue, seq, lease }: ClaimedItem, hasActed: boolean): SettledItem => ({
  queue,
  seq,
  lease,
  attempt: { startedAt: Date.now(), ms: 0, requests: 0, bytes: 0 },
  outcome: hasActed ? { state: "failed", failure: LEFT_IN_DOUBT } : { state: "returned" },
  captures: [],
  records: null,
  fieldCounts: null,
  emitted: [],
});
