import type { Failure } from "../domain/failure.ts";
import type { Attempt } from "../domain/item.ts";
import type { ClaimedItem, SettledItem } from "../ports/ledger.ts";

const LEFT_IN_DOUBT: Failure = {
  kind: "worker-lost",
  detail: "its acting request had left, and what came of it could not be kept; not tried again by itself",
};

/** An item that is let go, or whose bytes could not be kept, is not at fault: it goes back as it was, unless it has acted. */
export const givenBack = (
  { queue, seq, lease }: ClaimedItem,
  hasActed: boolean,
  cost: Pick<Attempt, "requests" | "bytes">,
): SettledItem => ({
  queue,
  seq,
  lease,
  attempt: { startedAt: Date.now(), ms: 0, ...cost },
  outcome: hasActed ? { state: "failed", failure: LEFT_IN_DOUBT } : { state: "returned" },
  captures: [],
  records: null,
  fieldCounts: null,
  emitted: [],
});
