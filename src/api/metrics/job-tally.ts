import { FAILURE_KINDS, type FailureKind } from "../../domain/failure.ts";
import { ITEM_STATES, type ItemState } from "../../domain/item.ts";
import type { JobState, JobSums } from "../../domain/job.ts";
import { FIELD_STATUSES, type FieldStatus } from "../../domain/record.ts";

export const JOB_STATES: readonly JobState[] = ["loading", "running", "paused", "done", "cancelled"];
export const INPUT_FATES = ["accepted", "folded", "rejected", "capped"] as const;

/** What can be summed over jobs. */
export type TallyName =
  | `jobs ${JobState}`
  | `items ${ItemState}`
  | `depth ${JobState}`
  | `inputs ${(typeof INPUT_FATES)[number]}`
  | `attempts ${"done" | "absent" | FailureKind}`
  | `failed ${FailureKind}`
  | `fields ${FieldStatus}`
  | "partial"
  | "requests"
  | "bytes"
  | "held";

/** What is nought is left out. */
export type JobTally = Readonly<Partial<Record<TallyName, number>>>;

/** The part of one job, or of several, in the totals. */
export const jobTally = (sums: JobSums): JobTally => {
  const { state, counts, failures, attemptFailures, fieldCounts } = sums;
  const { states } = counts;
  const tally: Partial<Record<TallyName, number>> = {};
  const put = (name: TallyName, count: number): void => void (count !== 0 && (tally[name] = count));
  put(`jobs ${state}`, sums.jobs);
  put(`depth ${state}`, states.queued + states.waiting);
  for (const item of ITEM_STATES) put(`items ${item}`, states[item]);
  for (const fate of INPUT_FATES) put(`inputs ${fate}`, counts[fate]);
  put("attempts done", states.done);
  put("attempts absent", states.absent);
  for (const kind of FAILURE_KINDS) put(`attempts ${kind}`, attemptFailures[kind] ?? 0);
  for (const { kind, count } of failures) put(`failed ${kind}`, count);
  for (const [place, status] of FIELD_STATUSES.entries())
    put(`fields ${status}`, everyFourth(fieldCounts, place));
  put("partial", sums.partial);
  put("requests", sums.requests);
  put("bytes", sums.bytes);
  put("held", sums.held);
  return tally;
};

const everyFourth = (counts: readonly number[], from: number): number => {
  let sum = 0;
  for (let i = from; i < counts.length; i += FIELD_STATUSES.length) sum += counts[i]!;
  return sum;
};
