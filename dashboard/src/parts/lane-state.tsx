import type { VNode } from "preact";
import { now } from "./time.tsx";
import { duration, percent } from "../format.ts";
import type { Lane } from "../../../src/client.ts";
import { State } from "./state.tsx";

/** Whether a lane takes requests, and if not, why and for how long. */
export const LaneState = ({ lane }: { readonly lane: Lane }): VNode => {
  const { isHeld, heldUntil, holdReason, factor, inFlight, backlog } = lane;
  if (isHeld) return <State of="paused" label="held by an operator" />;
  if (heldUntil !== undefined && new Date(heldUntil) > now.value)
    return (
      <>
        <State
          of="waiting"
          label={`held for ${duration(new Date(heldUntil).getTime() - now.value.getTime())}`}
        />
        {holdReason !== undefined && <span class="quiet"> {holdReason}</span>}
      </>
    );
  const waits = (lane.proxies ?? []).find(({ held }) => held !== undefined);
  if (waits) return <State of="failed" label={`no proxy tier left: ${waits.held}`} />;
  if (factor < 1) return <State of="waiting" label={`slowed to ${percent(factor)}`} />;
  if (inFlight > 0) return <State of="running" />;
  return <State of={backlog > 0 ? "queued" : "done"} label={backlog > 0 ? "nothing runs" : "idle"} />;
};
