import type { Evidence as BreakerEvidence } from "../domain/breaker.ts";
import { costOfJob, fromMicro } from "../domain/cost.ts";
import type { CaptureRef } from "../domain/capture.ts";
import type { FailureKind } from "../domain/failure.ts";
import type { FailureTimes } from "../domain/failure-times.ts";
import { endedCount, type ItemRef } from "../domain/item.ts";
import { versionsOf } from "../domain/job-version.ts";
import type { JobView } from "../domain/job.ts";
import { FIELD_STATUSES, withoutPlaces } from "../domain/record.ts";
import { isoTime } from "../domain/iso-time.ts";
import type { Evidence } from "../schemas/item.ts";
import { captureView, tierCostView } from "./item-view.ts";
import { ladderView, orNull } from "./lane-view.ts";
import { itemId } from "./items.ts";
import type { Batch, FailureTimes as FailureTimesAnswer, Job } from "../schemas/job.ts";

/** A job as the API shows it; `perSecond` is the current rate of items that end, if known. */
export const jobView = (view: JobView, perSecond: number | undefined, now: number): Job => {
  const { spec, counts, createdAt, endedAt, paused, budgetSpentAt, changes, pagesRemoved } = view;
  const ended = endedCount(counts.states);
  return {
    id: spec.id,
    client: spec.client,
    scraper: spec.scraper,
    version: spec.version,
    scrapers: versionsOf(spec).map((one, at) => {
      const { proxies } = spec.scrapers[at]!;
      return { ...one, ...(proxies && { proxies: [...proxies] }) };
    }),
    state: view.state,
    isSealed: view.isSealed,
    isBatch: spec.isBatch === true,
    createdAt: isoTime(createdAt),
    ...(endedAt !== undefined && { endedAt: isoTime(endedAt) }),
    ...(paused && {
      paused: { cause: paused.cause, reason: withoutPlaces(paused.reason), at: isoTime(paused.at) },
    }),
    options: optionsOf(view),
    labels: spec.labels ?? {},
    counts: { ...counts, partial: view.partial },
    cappedBy: view.cappedBy,
    progress: {
      ended,
      share: counts.accepted === 0 ? 0 : ended / counts.accepted,
      perSecond: perSecond ?? null,
      etaAt: etaOf(view, ended, perSecond, now),
    },
    failures: view.failures.map((one) => ({ ...one, exampleDetail: withoutPlaces(one.exampleDetail) })),
    attemptFailures: view.attemptFailures,
    fields: fieldsOf(view),
    held: view.held.map(({ lane, reason, evidence, heldAt, probeAt }) => ({
      lane,
      reason,
      evidence: evidenceView(evidence),
      heldAt: isoTime(heldAt),
      ...(probeAt !== undefined && { probeAt: isoTime(probeAt) }),
    })),
    ...(view.ways && { ways: [...view.ways] }),
    ...(view.ladders && { proxies: view.ladders.map((one) => ({ lane: one.lane, ...ladderView(one) })) }),
    rejects: view.rejects,
    cost: { requests: view.requests, bytes: view.bytes },
    costs: Object.fromEntries(
      Object.entries(view.costs ?? {}).map(([tier, cost]) => [tier, tierCostView(cost)]),
    ),
    totalCost: fromMicro(costOfJob(view).microCost),
    ...(budgetSpentAt !== undefined && { budgetSpentAt: isoTime(budgetSpentAt) }),
    ...(changes && { changes }),
    ...(pagesRemoved && { pagesRemoved: { ...pagesRemoved, at: isoTime(pagesRemoved.at) } }),
  };
};

export const failureTimesView = ({ widthMs, buckets }: FailureTimes): FailureTimesAnswer => ({
  widthMs,
  data: Object.entries(buckets)
    .map(([number, pairs]) => ({ at: Number(number) * widthMs, pairs }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, pairs }) => ({
      at: isoTime(at),
      kinds: Object.fromEntries(
        Object.entries(pairs).map(([kind, [items, attempts]]) => [kind, { items, attempts }]),
      ),
    })),
});

/** A batch is a job of the built-in scraper `page`. */
export const batchView = ({ counts, ...job }: Job): Batch => {
  const { accepted, folded, rejected, states } = counts;
  const { id, client, state, createdAt, endedAt, progress } = job;
  return {
    id,
    client,
    state,
    createdAt,
    ...(endedAt !== undefined && { endedAt }),
    progress,
    accepted,
    folded,
    rejected,
    states,
  };
};

const optionsOf = ({ spec }: JobView): Job["options"] => {
  const { maxAttempts, maxItems, maxDepth, deadlineAt, budget, freshness, webhook, progressMs } = spec;
  const { perSecond, burst, concurrency } = spec.pace;
  const chains = spec.scrapers.flatMap(({ maxChain }) => maxChain ?? []);
  return {
    priority: spec.priority ?? 0,
    pace: { perSecond: orNull(perSecond), burst, concurrency },
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(maxItems < Number.MAX_SAFE_INTEGER && { maxItems }),
    ...(maxDepth > 0 && { maxDepth }),
    ...(chains.length > 0 && { maxChain: Math.max(...chains) }),
    ...(deadlineAt !== undefined && { deadlineAt: isoTime(deadlineAt) }),
    ...(budget && { budget }),
    ...(spec.proxies && { proxies: [...spec.proxies] }),
    ...(freshness && { freshness }),
    ...(webhook !== undefined && { webhook }),
    ...(progressMs !== undefined && { progressMs }),
    extracts: spec.extracts,
  };
};

const fieldsOf = ({ spec, fieldCounts }: JobView): Job["fields"] => {
  const fields: Record<string, Job["fields"][string]> = {};
  const required = new Set(spec.required);
  for (const [at, field] of spec.fields.entries()) {
    const [present = 0, empty = 0, missing = 0, malformed = 0] = fieldCounts.slice(
      at * FIELD_STATUSES.length,
    );
    fields[field] = { present, empty, missing, malformed, isOptional: !required.has(field) };
  }
  return fields;
};

/** Only if the end can be estimated: all inputs are there, and items are ending. */
const etaOf = (
  { state, isSealed, counts }: JobView,
  ended: number,
  perSecond: number | undefined,
  now: number,
): string | null =>
  state !== "running" || !isSealed || perSecond === undefined || perSecond <= 0
    ? null
    : isoTime(now + ((counts.accepted - ended) / perSecond) * 1000);

/** Evidence as the ledger stores it. */
interface StoredEvidence extends Partial<BreakerEvidence> {
  readonly examples?: readonly (ItemRef & {
    readonly key: string;
    readonly kind?: FailureKind;
    readonly detail?: string;
    readonly captures?: readonly CaptureRef[];
  })[];
}

/** Items appear by their API ids, and captures without their place in the archive, which may belong to another client's job. */
export const evidenceView = (evidence: unknown): Evidence => {
  const {
    chart = "failures",
    reason = "",
    counts = {},
    sinceMs,
    heals = false,
    scores,
    limit,
    examples = [],
  } = (evidence ?? {}) as StoredEvidence;
  return {
    chart,
    reason,
    counts,
    ...(sinceMs !== undefined && { since: isoTime(sinceMs) }),
    heals,
    ...(scores && { recent: scores }),
    ...(limit !== undefined && { limit }),
    examples: examples.map(({ queue, seq, captures = [], ...rest }) => ({
      item: itemId({ queue, seq }),
      ...rest,
      ...(rest.detail !== undefined && { detail: withoutPlaces(rest.detail) }),
      captures: captures.map(captureView),
    })),
  };
};
