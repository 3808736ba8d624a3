import type { VNode } from "preact";
import { State } from "../../parts/state.tsx";
import type { Firing, Schedule } from "../../../../src/schemas/schedule.ts";

const LOOKS: Readonly<Record<Firing["state"], string>> = {
  running: "running",
  done: "done",
  failed: "failed",
  skipped: "skipped",
  missed: "absent",
};

export const FiringState = ({ of: { state } }: { readonly of: Pick<Firing, "state"> }): VNode => (
  <State of={LOOKS[state]} label={state} />
);

/** When it fires, in words. */
export const whenText = ({ when }: Pick<Schedule, "when">, every: (ms: number) => string): string =>
  "cron" in when
    ? `${when.cron} in ${when.zone}`
    : "everyMs" in when
      ? `every ${every(when.everyMs)}`
      : `after ${when.after}`;
