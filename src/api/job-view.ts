import { endedCount } from "../domain/item.ts";
import { versionsOf } from "../domain/job-version.ts";
import type { JobView } from "../domain/job.ts";
import { FIELD_STATUSES, withoutPlaces } from "../domain/record.ts";
import { evidenceView } from "./evidence-view.ts";
import { isoTime } from "./iso-time.ts";
import type { ApiJob } from "./schemas/job.ts";

export const orNull = (perSecond: number): number | null => (Number.isFinite(perSecond) ? perSecond : null);

/** A job as the API shows it; `perSecond` is how many of its items end lately, where that is known. */
export const jobView = (view: JobView, perSecond: number | undefined, now: number): ApiJob => {
  const { spec, counts, createdAt, endedAt, paused, budgetSpentAt, changes, pagesRemoved } = view;
  const ended = endedCount(counts.states);
  return {
    id: spec.id,
    client: spec.client,
    scraper: spec.scraper,
    version: spec.version,
    scrapers: versionsOf(spec),
    state: view.state,
    isSealed: view.isSealed,
    isBatch: spec.isBatch === true,
    createdAt: isoTime(createdAt),
    ...(endedAt !== undefined && { endedAt: isoTime(endedAt) }),
    ...(paused && {
      paused: { cause: paused.cause, reason: withoutPlaces(paused.reason), at: isoTime(paused.at) },
    }),
    options: optionsOf(view),
    labels: { ...spec.labels },
    counts: { ...counts, partial: view.partial, states: counts.states },
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
    rejects: [...view.rejects],
    cost: { requests: view.requests, bytes: view.bytes },
    ...(budgetSpentAt !== undefined && { budgetSpentAt: isoTime(budgetSpentAt) }),
    ...(changes && { changes }),
    ...(pagesRemoved && { pagesRemoved: { ...pagesRemoved, at: isoTime(pagesRemoved.at) } }),
  };
};

const optionsOf = ({ spec }: JobView): ApiJob["options"] => {
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
    ...(freshness && { freshness }),
    ...(webhook !== undefined && { webhook }),
    ...(progressMs !== undefined && { progressMs }),
    extracts: spec.extracts,
  };
};

const fieldsOf = ({ spec, fieldCounts }: JobView): ApiJob["fields"] => {
  const fields: ApiJob["fields"] = {};
  const required = new Set(spec.required);
  for (const [at, field] of spec.fields.entries()) {
    const [present = 0, empty = 0, missing = 0, malformed = 0] = fieldCounts.slice(
      at * FIELD_STATUSES.length,
    );
    fields[field] = { present, empty, missing, malformed, isOptional: !required.has(field) };
  }
  return fields;
};

/** Only where the end can be foreseen: all inputs are there, and something moves. */
const etaOf = (
  { state, isSealed, counts }: JobView,
  ended: number,
  perSecond: number | undefined,
  now: number,
): string | null =>
  state !== "running" || !isSealed || perSecond === undefined || perSecond <= 0
    ? null
    : isoTime(now + ((counts.accepted - ended) / perSecond) * 1000);
