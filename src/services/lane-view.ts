import { isoTime } from "../domain/iso-time.ts";
import type { JobLane as JobLaneState, LaneLadder, LaneState } from "../domain/job.ts";
import type { JobLane, Lane } from "../schemas/operations.ts";
import { tierCostView } from "./item-view.ts";

export const orNull = (perSecond: number): number | null => (Number.isFinite(perSecond) ? perSecond : null);

export const laneView = (state: LaneState, now: number): Lane => ({
  lane: state.lane,
  perSecond: orNull(state.perSecond),
  usedPerSecond: Math.round(state.usedPerSecond * 1000) / 1000,
  factor: state.factor,
  operatorPerSecond: state.operatorPerSecond,
  ...holdView(state, now),
  backlog: state.backlog,
  heldJobs: state.heldJobs,
  inFlight: state.inFlight,
  ...(state.ladders && { proxies: state.ladders.map(ladderView) }),
  ...(state.spent && {
    spent: Object.fromEntries(Object.entries(state.spent).map(([tier, cost]) => [tier, tierCostView(cost)])),
  }),
});

type Held = Pick<LaneState, "isHeldByOperator" | "holdMs" | "holdReason">;

const holdView = (
  { isHeldByOperator, holdMs, holdReason }: Held,
  now: number,
): Pick<Lane, "isHeld" | "heldUntil" | "holdReason"> => ({
  isHeld: isHeldByOperator,
  ...(holdMs > 0 && Number.isFinite(holdMs) && { heldUntil: isoTime(now + holdMs) }),
  ...(holdReason !== undefined && { holdReason }),
});

export const jobLaneView = (state: JobLaneState, now: number): JobLane => {
  const { lane, backlog, inFlight, waiting, held } = state;
  return {
    lane,
    ...holdView(state, now),
    backlog,
    inFlight,
    waiting,
    ...(held && {
      breaker: {
        reason: held.reason,
        heldAt: isoTime(held.heldAt),
        ...(held.probeAt !== undefined && { probeAt: isoTime(held.probeAt) }),
      },
    }),
  };
};

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
