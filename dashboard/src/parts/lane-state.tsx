import type { VNode } from "preact";
import { now } from "./time.tsx";
import { duration, percent } from "../format.ts";
import type { JobLane, Lane } from "../../../src/client.ts";
import { State } from "./state.tsx";

type Hold = Pick<Lane, "isHeld" | "heldUntil" | "holdReason">;

const isOnHold = ({ isHeld, heldUntil }: Hold): boolean =>
  isHeld || (heldUntil !== undefined && new Date(heldUntil) > now.value);

/** For all jobs: by whom or by what, and for how long. */
const HoldState = ({ lane: { isHeld, heldUntil = "", holdReason } }: { readonly lane: Hold }): VNode =>
  isHeld ? (
    <State of="paused" label="held by an operator" />
  ) : (
    <>
      <State
        of="waiting"
        label={`held for ${duration(new Date(heldUntil).getTime() - now.value.getTime())}`}
      />
      {holdReason !== undefined && <span class="quiet"> {holdReason}</span>}
    </>
  );

/** Whether a lane takes requests, and if not, why and for how long. */
export const LaneState = ({ lane }: { readonly lane: Lane }): VNode => {
  const { factor, inFlight, backlog, heldJobs } = lane;
  if (isOnHold(lane)) return <HoldState lane={lane} />;
  if (heldJobs > 0)
    return (
      <State of="failed" label={`held by the breaker for ${heldJobs === 1 ? "a job" : `${heldJobs} jobs`}`} />
    );
  const waits = (lane.proxies ?? []).find(({ held }) => held !== undefined);
  if (waits) return <State of="failed" label={`no proxy tier left: ${waits.held}`} />;
  if (factor < 1) return <State of="waiting" label={`slowed to ${percent(factor)}`} />;
  if (inFlight > 0) return <State of="running" />;
  return <State of={backlog > 0 ? "queued" : "done"} label={backlog > 0 ? "nothing runs" : "idle"} />;
};

/** The same for the items of one job. */
export const JobLaneState = ({ lane }: { readonly lane: JobLane }): VNode => {
  if (lane.breaker) return <State of="failed" label={`held: ${lane.breaker.reason}`} />;
  if (lane.backlog === 0) return <State of="done" label="all ended" />;
  if (isOnHold(lane)) return <HoldState lane={lane} />;
  return <State of={lane.inFlight > 0 ? "running" : "queued"} />;
};
