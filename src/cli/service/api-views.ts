import type { Item, Job, Lane } from "../../client.ts";
import { type TierCosts, toMicro } from "../../domain/cost.ts";
import type { JobView, LaneLadder, LaneState, PinnedScraper } from "../../domain/job.ts";
import { FIELD_STATUSES, fieldPrefix } from "../../domain/record.ts";
import type { ItemRow } from "./verbs.ts";

/** A job of the API as the storage has it. Parts that a server does not show (sources, policies) are empty; no report needs them. */
export const jobOfApi = (job: Job): JobView => {
  const { options, counts, cost } = job;
  const { partial, ...rest } = counts;
  const pace = { ...options.pace, perSecond: options.pace.perSecond ?? Infinity };
  const fields = Object.keys(job.fields);
  const isRequired = (field: string): boolean => !job.fields[field]!.isOptional;
  const scrapers = job.scrapers.map((one, at): PinnedScraper => {
    const prefix = fieldPrefix(job.scraper, one.name);
    const own = fieldsOf(prefix, at, job);
    return {
      name: one.name,
      version: one.version,
      source: "",
      ...(one.proxies && { proxies: one.proxies }),
      pace,
      policy: {},
      extracts: options.extracts,
      fields: own.map((field) => field.slice(prefix.length)),
      required: own.filter(isRequired).map((field) => field.slice(prefix.length)),
      ...(options.maxChain !== undefined && { maxChain: options.maxChain }),
    };
  });
  const revisions = Math.max(0, ...job.scrapers.map(({ earlier = [] }) => earlier.length));
  const earlier = Array.from({ length: revisions }, (_, revision) =>
    job.scrapers.map((one) => one.earlier?.[revision] ?? one.version),
  );
  return {
    spec: {
      ...(revisions > 0 && { earlier }),
      id: job.id,
      client: job.client,
      scraper: job.scraper,
      source: "",
      version: job.version,
      pace,
      scrapers,
      extracts: options.extracts,
      fields,
      required: fields.filter(isRequired),
      policy: {},
      maxItems: options.maxItems ?? Number.MAX_SAFE_INTEGER,
      maxDepth: options.maxDepth ?? 0,
      labels: job.labels,
    },
    state: job.state,
    isSealed: job.isSealed,
    createdAt: Date.parse(job.createdAt),
    ...(job.endedAt !== undefined && { endedAt: Date.parse(job.endedAt) }),
    ...(job.paused && { paused: { ...job.paused, at: Date.parse(job.paused.at) } }),
    counts: rest,
    cappedBy: job.cappedBy,
    partial,
    failures: job.failures,
    attemptFailures: job.attemptFailures,
    fieldCounts: fields.flatMap((field) => FIELD_STATUSES.map((status) => job.fields[field]![status])),
    held: job.held.map(({ heldAt, probeAt, ...one }) => ({
      ...one,
      heldAt: Date.parse(heldAt),
      ...(probeAt !== undefined && { probeAt: Date.parse(probeAt) }),
    })),
    ...(job.ways && { ways: job.ways }),
    ...(job.proxies && { ladders: job.proxies.map((one) => ({ lane: one.lane, ...ladderOfApi(one) })) }),
    rejects: job.rejects,
    ...cost,
    costs: costsOfApi(job.costs),
    ...(job.budgetSpentAt !== undefined && { budgetSpentAt: Date.parse(job.budgetSpentAt) }),
    ...(job.changes && { changes: job.changes }),
    ...(job.pagesRemoved && {
      pagesRemoved: { ...job.pagesRemoved, at: Date.parse(job.pagesRemoved.at) },
    }),
  };
};

/** With prefixes; fields of the root scraper have none. */
const fieldsOf = (prefix: string, at: number, { fields, scraper, scrapers }: Job): string[] => {
  const others = scrapers.slice(1).map((one) => fieldPrefix(scraper, one.name));
  return Object.keys(fields).filter((field) =>
    at === 0 ? !others.some((other) => field.startsWith(other)) : field.startsWith(prefix),
  );
};

export const itemOfApi = (item: Item): ItemRow => {
  const { key, scraper, parent, state, reason, attempts, failure, quality, change } = item;
  return {
    key,
    scraper,
    state,
    attempts,
    ...(parent !== undefined && { parent }),
    ...(failure && { failure }),
    ...(quality && { quality }),
    ...(change && { change }),
    ...(reason && { skipReason: reason }),
    json: item,
  };
};

export const laneOfApi = (lane: Lane, now: number): LaneState => ({
  lane: lane.lane,
  perSecond: lane.perSecond ?? Infinity,
  usedPerSecond: lane.usedPerSecond,
  factor: lane.factor,
  operatorPerSecond: lane.operatorPerSecond,
  isHeldByOperator: lane.isHeld,
  holdMs: lane.heldUntil === undefined ? 0 : Math.max(0, Date.parse(lane.heldUntil) - now),
  ...(lane.holdReason !== undefined && { holdReason: lane.holdReason }),
  backlog: lane.backlog,
  heldJobs: lane.heldJobs,
  inFlight: lane.inFlight,
  ...(lane.proxies && { ladders: lane.proxies.map(ladderOfApi) }),
  ...(lane.spent && { spent: costsOfApi(lane.spent) }),
});

const ladderOfApi = ({
  ladder,
  tier,
  why,
  since,
  outages,
  held,
}: NonNullable<Lane["proxies"]>[number]): LaneLadder => ({
  ladder,
  tier,
  ...(why !== undefined && { why }),
  ...(since !== undefined && { sinceAt: Date.parse(since) }),
  outages: outages.map(({ until, ...outage }) => ({ ...outage, untilAt: Date.parse(until) })),
  ...(held !== undefined && { held }),
});

const costsOfApi = (costs: Job["costs"]): TierCosts =>
  Object.fromEntries(
    Object.entries(costs).map(([tier, { cost, ...rest }]) => [tier, { ...rest, microCost: toMicro(cost) }]),
  );
