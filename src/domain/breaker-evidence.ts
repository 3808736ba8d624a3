import {
  type BreakerState,
  type Chart,
  isTripped,
  readRecent,
  type RecentResult,
  usualShare,
} from "./breaker.ts";
import { type FailureKind, failurePolicy, type PolicyOverrides } from "./failure.ts";

/** Why a lane is held, for a person. */
export interface Evidence {
  readonly chart: "failures" | "absent" | `missing:${string}`;
  /** One sentence. */
  readonly reason: string;
  /** Over the last fifty outcomes, or as many as there were. */
  readonly counts: ResultCounts;
  /** When the trouble began. */
  readonly sinceMs?: number;
  /** Every kind of failure in this trouble goes away without a person. */
  readonly heals: boolean;
}

type ResultCounts = Readonly<Partial<Record<RecentResult, number>>>;

/** The evidence of the first chart that stands at its limit, if one does. */
export function evidenceOf(state: BreakerState, overrides?: PolicyOverrides): Evidence | undefined {
  if (isTripped(state.failures)) return failureEvidence(state, overrides);
  const fields = state.missing.filter(({ chart }) => isTripped(chart));
  const [first] = fields;
  if (first) {
    const names = fields.map(({ field }) => field).join(", ");
    const reason = `${names} missing in ${shareOf(first.chart, "records")}`;
    return evidence(state, `missing:${first.field}`, first.chart, reason, false);
  }
  if (!isTripped(state.absent)) return undefined;
  const reason = `the site answered "no such thing" to ${shareOf(state.absent, "items")}`;
  return evidence(state, "absent", state.absent, reason, false);
}

function failureEvidence(state: BreakerState, overrides?: PolicyOverrides): Evidence {
  const kinds = troubleKinds(state, overrides);
  const tally = Object.entries(countResults(kinds)).map(([kind, count]) => `${count} ${kind}`);
  const reason = `${shareOf(state.failures, "attempts")} failed: ${tally.join(", ")}`;
  const heals = kinds.every((kind) => failurePolicy(kind, overrides).heals);
  return evidence(state, "failures", state.failures, reason, heals);
}

/** The failures that moved the score since it left zero, as far back as they are kept; newest first. */
function troubleKinds(state: BreakerState, overrides?: PolicyOverrides): FailureKind[] {
  const kinds: FailureKind[] = [];
  let left = state.failures.bad;
  for (const result of readRecent(state.recent).toReversed()) {
    if (left <= 0) break;
    if (result === "done" || result === "absent") continue;
    const weight = Math.min(1, failurePolicy(result, overrides).breakerWeight);
    if (weight === 0) continue;
    kinds.push(result);
    left -= weight;
  }
  return kinds;
}

function evidence(
  state: BreakerState,
  chart: Evidence["chart"],
  { sinceMs }: Chart,
  reason: string,
  heals: boolean,
): Evidence {
  const counts = countResults(readRecent(state.recent));
  return { chart, reason, counts, heals, ...(sinceMs > 0 && { sinceMs }) };
}

function countResults(results: readonly RecentResult[]): ResultCounts {
  const counts: Partial<Record<RecentResult, number>> = {};
  for (const result of results) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}

const shareOf = (chart: Chart, what: "records" | "items" | "attempts"): string => {
  const usual = usualShare(chart, what === "items" ? "absent" : "failures");
  const before = usual === undefined ? "" : ` (usually ${Math.round(usual * 100)} %)`;
  return `${Math.round(chart.bad)} of the last ${chart.total} ${what}${before}`;
};
