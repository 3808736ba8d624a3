import { isoTime } from "../domain/iso-time.ts";
import type { LaneLadder, LaneState } from "../domain/job.ts";
import type { Lane } from "../schemas/operations.ts";
import { tierCostView } from "./item-view.ts";

export const orNull = (perSecond: number): number | null => (Number.isFinite(perSecond) ? perSecond : null);

export const laneView = (state: LaneState, now: number): Lane => ({
  lane: state.lane,
  perSecond: orNull(state.perSecond),
  factor: state.factor,
  operatorPerSecond: state.operatorPerSecond,
  isHeld: state.isHeldByOperator,
  ...(state.holdMs > 0 && Number.isFinite(state.holdMs) && { heldUntil: isoTime(now + state.holdMs) }),
  ...(state.holdReason !== undefined && { holdReason: state.holdReason }),
  backlog: state.backlog,
  inFlight: state.inFlight,
  ...(state.ladders && { proxies: state.ladders.map(ladderView) }),
  ...(state.spent && {
    spent: Object.fromEntries(Object.entries(state.spent).map(([tier, cost]) => [tier, tierCostView(cost)])),
  }),
});

export const ladderView = ({
  ladder,
  tier,
  why,
  sinceAt,
  outages,
  held,
}: LaneLadder): NonNullable<Lane["proxies"]>[number] => ({
  ladder: [...ladder],
  tier,
  ...(why !== undefined && { why }),
  ...(sinceAt !== undefined && { since: isoTime(sinceAt) }),
  outages: outages.map(({ untilAt, ...outage }) => ({ ...outage, until: isoTime(untilAt) })),
  ...(held !== undefined && { held }),
});
