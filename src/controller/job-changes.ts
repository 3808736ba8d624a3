import type { JobState, JobView } from "../model/job.ts";
import type { LiveType } from "./event-ring.ts";
import { endedCount } from "../model/item.ts";

export interface JobChange {
  readonly type: LiveType;
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** What of a job is compared from one look to the next. */
export interface JobGlimpse {
  readonly state: JobState;
  readonly accepted: number;
  readonly ended: number;
  readonly held: readonly string[];
}

export const glimpseOf = (view: JobView): JobGlimpse => ({
  state: view.state,
  accepted: view.counts.accepted,
  ended: endedCount(view.counts.states),
  held: view.held.map(({ lane }) => lane),
});

const ENDS: Readonly<Partial<Record<JobState, LiveType>>> = {
  paused: "job.paused",
  done: "job.completed",
  cancelled: "job.cancelled",
};

/** What happened between two looks, in the order in which it makes sense. Pure. */
export const changesOf = (before: JobGlimpse | undefined, view: JobView): JobChange[] => {
  const now = glimpseOf(view);
  const changes: JobChange[] = before ? [] : [{ type: "job.started" }];
  if (before && before.state !== now.state && isActive(now.state) && !isActive(before.state))
    changes.push({ type: "job.resumed" });
  if (before && (before.ended !== now.ended || before.accepted !== now.accepted))
    changes.push({ type: "job.progress" });
  for (const { lane, reason } of view.held)
    if (!before?.held.includes(lane)) changes.push({ type: "lane.held", facts: { lane, reason } });
  for (const lane of before?.held ?? [])
    if (!now.held.includes(lane)) changes.push({ type: "lane.released", facts: { lane } });
  const end = before?.state === now.state ? undefined : ENDS[now.state];
  if (end) changes.push({ type: end });
  return changes;
};

const isActive = (state: JobState): boolean => state === "loading" || state === "running";
