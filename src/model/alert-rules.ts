import { fallenFields } from "./field-completeness.ts";
import type { JobView } from "./job.ts";
import { type JobMark, type JobMemory, windowStart } from "./job-marks.ts";

/** When people are told; `false` turns a rule off. */
export interface AlertRules {
  /** The breaker has stopped a lane of a job. */
  readonly breaker: boolean;
  /** Of the last so many items that were tried, more than this share failed. */
  readonly failureShare: { readonly over: number; readonly last: number } | false;
  /** A running job has had no item that went well for so long. */
  readonly noSuccess: { readonly forMs: number } | false;
  /** The share of records with a value in some field fell by this, over the last so many items. */
  readonly completeness: { readonly drop: number; readonly last: number } | false;
}

export const DEFAULT_ALERT_RULES: AlertRules = {
  breaker: true,
  failureShare: { over: 0.2, last: 200 },
  noSuccess: { forMs: 30 * 60_000 },
  completeness: { drop: 0.2, last: 200 },
};

export type AlertRule = keyof AlertRules;

/** `good` takes an alert back, `unknown` leaves it as it is. */
export type AlertVerdict = { readonly rule: AlertRule } & (
  | { readonly state: "bad"; readonly text: string }
  | { readonly state: "good" | "unknown" }
);

export interface WatchedJob {
  readonly view: JobView;
  readonly memory: JobMemory;
  /** Field counts of the scraper's job before this one, in the same order; undefined when there is none to compare with. */
  readonly earlier?: readonly number[] | undefined;
}

/** An alert ends only when things are this much better than what began it: at the border it would come and go. */
const EASED = 0.8;
/** Fewer items than this say nothing about a job that has ended. */
const LEAST_ITEMS = 20;

export const judgeAlerts = (job: WatchedJob, rules: AlertRules, now: number): AlertVerdict[] => [
  ...(rules.breaker ? [breaker(job)] : []),
  ...(rules.failureShare ? [failureShare(job, rules.failureShare)] : []),
  ...(rules.noSuccess ? [noSuccess(job, rules.noSuccess, now)] : []),
  ...(rules.completeness ? [completeness(job, rules.completeness)] : []),
];

/** The largest number of items that a rule looks back on. */
export const longestWindow = ({ failureShare: failures, completeness: fields }: AlertRules): number =>
  Math.max(1, failures ? failures.last : 0, fields ? fields.last : 0);

const breaker = ({ view: { held } }: WatchedJob): AlertVerdict => {
  const [first] = held;
  if (!first) return { rule: "breaker", state: "good" };
  const lanes =
    held.length === 1 ? `lane ${first.lane} is held` : `${held.length} lanes are held, such as ${first.lane}`;
  return { rule: "breaker", state: "bad", text: `${lanes}: ${first.reason}` };
};

const failureShare = (
  { view, memory }: WatchedJob,
  { over, last }: { readonly over: number; readonly last: number },
): AlertVerdict => {
  const rule = "failureShare";
  const start = startOf(view, memory, last);
  if (!start) return { rule, state: "unknown" };
  const ended = memory.last.ended - start.ended;
  const share = (memory.last.failed - start.failed) / ended;
  if (share <= over) return { rule, state: share <= over * EASED ? "good" : "unknown" };
  const kind = view.failures.toSorted((a, b) => b.count - a.count)[0]?.kind;
  const mostly = kind === undefined ? "" : `, mostly ${kind} in this job`;
  return { rule, state: "bad", text: `${percent(share)} of the last ${ended} items failed${mostly}` };
};

const noSuccess = (
  { view, memory }: WatchedJob,
  { forMs }: { readonly forMs: number },
  now: number,
): AlertVerdict => {
  const rule = "noSuccess";
  const { queued, leased, waiting } = view.counts.states;
  // Nothing can go well in a job that stands still for a known reason.
  if (view.state === "paused" || view.held.length > 0 || queued + leased + waiting === 0)
    return { rule, state: "unknown" };
  const silentMs = now - memory.goodAt;
  if (silentMs < forMs) return { rule, state: "good" };
  return { rule, state: "bad", text: `no item went well for ${Math.floor(silentMs / 60_000)} minutes` };
};

const completeness = (
  { view, memory, earlier }: WatchedJob,
  { drop, last }: { readonly drop: number; readonly last: number },
): AlertVerdict => {
  const rule = "completeness";
  const start = startOf(view, memory, last);
  if (!start) return { rule, state: "unknown" };
  const baselines = [start.fieldCounts, earlier ?? []];
  const counts = { total: memory.last.fieldCounts, start: start.fieldCounts };
  const fallen = fallenFields(view.spec.fields, counts, baselines, drop);
  if (fallen.length > 0) {
    const texts = fallen.map(({ field, from, to }) => `${field} from ${percent(from)} to ${percent(to)}`);
    return { rule, state: "bad", text: `fewer records have a value: ${texts.join(", ")}` };
  }
  const isNear = fallenFields(view.spec.fields, counts, baselines, drop * EASED).length > 0;
  return { rule, state: isNear ? "unknown" : "good" };
};

/** A job at its end is judged by what it has, also where it had fewer items than the rule looks back on. */
const startOf = ({ endedAt }: JobView, memory: JobMemory, last: number): JobMark | undefined => {
  const all = memory.last.ended - (memory.marks[0]?.ended ?? 0);
  return windowStart(memory, endedAt === undefined ? last : Math.min(last, Math.max(all, LEAST_ITEMS)));
};

const percent = (share: number): string => `${Math.round(share * 100)} %`;
