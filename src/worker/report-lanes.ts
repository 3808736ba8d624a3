import { type Failure, failureInfo, failurePolicy, type PolicyOverrides } from "../domain/failure.ts";
import type { ClaimedItem } from "../ports/ledger.ts";
import type { Pulse } from "./pulse.ts";
import type { SlotScheduler } from "./slot-scheduler.ts";

/** Each lane that an item has used hears how it went there: what slows it, as the item's scraper has it, or lets it recover. */
export const reportLanes = (
  item: ClaimedItem,
  lanes: ReadonlyMap<string, string>,
  failure: Failure | undefined,
  overrides: PolicyOverrides | undefined,
  pulse: Pulse,
  scheduler: SlotScheduler,
): void => {
  const host = failure?.url === undefined ? "" : new URL(failure.url).host;
  const troubled = failure && failureInfo(failure.kind).isOfSite ? (lanes.get(host) ?? item.lane) : undefined;
  for (const lane of new Set(lanes.values())) if (lane !== troubled) pulse.lane(lane, "ok");
  if (!failure || troubled === undefined) return;
  if (failure.kind === "rate-limited") scheduler.close(troubled);
  const slows = failurePolicy(failure.kind, overrides).slowsLane;
  pulse.lane(troubled, failure.kind, { retryAfterMs: failure.retryAfterMs, slows });
};
