import { templateOf, type Way, type WayResult } from "../domain/auto-mode.ts";
import type { Kept } from "../archive/item-bundle.ts";
import { readCapture } from "../archive/read-capture.ts";
import type { JobArchive } from "../archive/segment-writer.ts";
import {
  type Failure,
  failureInfo,
  failurePolicy,
  type PolicyOverrides,
  StopError,
} from "../domain/failure.ts";
import type { Attempt, Outcome } from "../domain/item.ts";
import type { JobSpec } from "../domain/job.ts";
import { FIELD_STATUSES } from "../domain/record.ts";
import { afterFailure } from "../domain/retry.ts";
import type { RecordFields } from "../domain/same-records.ts";
import type { ItemFreshness } from "../freshness/item-freshness.ts";
import { openItemArchive } from "../pipeline/archive.ts";
import { collect, type Collected } from "../pipeline/collect.ts";
import { discover, type Discovery, extract } from "../pipeline/extract.ts";
import { judge, type Judged } from "../pipeline/judge.ts";
import { type LaneOf, planFound } from "../pipeline/plan.ts";
import type { Collector, CollectorTools } from "../ports/collector.ts";
import type { SettledLine } from "../ports/ledger-check.ts";
import type { ClaimedItem, FreshNote, OutcomeReport, SettledItem } from "../ports/ledger.ts";
import { ScraperLoadError } from "../scrapers/check-scraper.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import type { JobScraper, LoadedJob } from "../scrapers/load-pinned.ts";
import type { AutoWays } from "./auto-ways.ts";
import type { ItemExit } from "./proxy-tiers.ts";
import type { RecordChecks } from "./record-checks.ts";
import type { Pulse } from "./pulse.ts";
import type { SlotScheduler } from "./slot-scheduler.ts";
import type { WorkerOptions } from "./worker-options.ts";

interface ItemRun {
  readonly item: ClaimedItem;
  /** The worker that runs it. */
  readonly worker: string;
  readonly spec: JobSpec;
  /** Of the job, or of its canary: see `LoadedJob`. */
  readonly revision: number;
  /** For comparing with the last time; undefined if the job does not ask. */
  readonly freshness?: ItemFreshness | undefined;
  /** All scrapers of the job: the item may find inputs for the others. */
  readonly scrapers: readonly JobScraper[];
  readonly laneOf: LaneOf;
  readonly collector: Collector;
  readonly archive: JobArchive;
  readonly gate: CollectorTools["gate"];
  readonly controller: AbortController;
  /** How its requests leave, where its scraper names proxy tiers. */
  readonly exit?: ItemExit | undefined;
  /** For scrapers of kind `auto`. */
  readonly auto?: AutoWays | undefined;
  /** For distilled scrapers: see `checkAgainst`. */
  readonly checks?:
    | { readonly all: RecordChecks; readonly collector: () => Promise<Collector | undefined> }
    | undefined;
  /** Called before the first request, with what the attempt has cost so far. */
  readonly onSession?: (cost: Pick<Attempt, "requests" | "bytes" | "proxied">) => void;
  /** The acting request of a `once` scraper was sent. */
  readonly hasActed: () => boolean;
  /** Called as soon as the outcome is known, before its bytes are durable. */
  readonly onOutcome: (outcome: ItemOutcome) => void;
  readonly onLate: (error: unknown) => void;
}

export interface ItemOutcome {
  readonly report: OutcomeReport;
  readonly failure: Failure | undefined;
  readonly way: Way | undefined;
  /** It was refused on a proxy tier and continues with another: this says nothing about the site. */
  readonly movesTier: boolean;
}

/** What is kept of an item after its outcome is known. Thousands of these wait for their segments: they must stay small. */
export interface ItemEnd {
  readonly end: Omit<SettledItem, keyof Kept>;
  /** Resolves when everything that the item stores is durable. */
  readonly kept: Promise<Kept>;
}

/**
 * The middle of the pipeline for one item: collect, archive, extract, judge. Resolves when the outcome is known. Throws a `StopError` when the worker
 * releases the item; `kept` rejects when the archive cannot be written.
 */
export const runItem = async (run: ItemRun): Promise<ItemEnd> => {
  const { item, auto } = run;
  const { ready, prefix, fieldsAt } = run.scrapers[item.scraper]!;
  const startedAt = Date.now();
  const input = JSON.parse(item.input) as unknown;
  const bundle = openItemArchive(run.archive, ready.scraper.archive !== "none");
  const spent = { requests: 0, bytes: 0, proxyBytes: 0 };
  const runOnce = (way?: Way, by?: RunBy): Promise<Run> =>
    collectAndJudge(run, input, { bundle, spent, way, by });
  const mayRepeat = (): boolean => !run.hasActed() && !run.controller.signal.aborted;
  const ran = auto
    ? await auto.run(
        { lane: item.lane, key: `${ready.version} ${templateOf(input)}`.trim() },
        runOnce,
        mayRepeat,
      )
    : await checked(run, runOnce, mayRepeat);
  const { collected, judged, discovered, failure, result } = ran;
  const { session } = collected;
  if (failure) await session.failed?.();
  const isJudged = judged !== undefined && "lines" in judged;
  const overrides = ready.scraper.failures;
  const movesTier = failure !== undefined && (run.exit?.canMove(failure, overrides) ?? false);
  run.exit?.report(failure, item.throttles, overrides);
  const { outcome, fresh } = compared(
    run,
    collected,
    outcomeOf(run, collected, judged, failure, movesTier),
    isJudged ? judged.lines : undefined,
  );
  run.onOutcome({
    report: {
      queue: item.queue,
      ...(item.scraper > 0 && { scraper: item.scraper }),
      attempt: item.attempt,
      result: failure?.kind ?? (collected.ended === "absent" ? "absent" : "done"),
      ...(judged && "missing" in judged && { missing: judged.missing.map((name) => prefix + name) }),
    },
    failure,
    way: auto || result.way === "browser" ? result.way : undefined,
    movesTier,
  });
  const { requests, bytes, proxyBytes } = costOf(spent, session);
  const attempt = {
    startedAt,
    ms: Date.now() - startedAt,
    requests,
    bytes,
    ...run.exit?.costs(requests, proxyBytes),
  };
  // Only done items count: a failed page may return, and its failure kind says what was missing.
  const fieldCounts = isJudged && outcome.state === "done" ? placed(judged.fieldCounts, fieldsAt) : null;
  const found = "found" in discovered ? discovered.found : [];
  const planned = planFound(found, run.scrapers, item.key, run.laneOf);
  const settled = { outcome, attempt, fieldCounts, ...planned, ...(fresh && { fresh }) };
  const kept = bundle.commit(session, isJudged ? judged.lines : [], (all) =>
    settledLine(run, { ...settled, ...all }),
  );
  await session.close();
  const { queue, seq, lease, scraper } = item;
  const { revision } = run;
  return {
    end: { queue, seq, lease, revision, ...(scraper > 0 && { scraper }), ...settled },
    kept,
  };
};

/** Another scraper that runs the item. */
interface RunBy {
  readonly ready: CompiledScraper;
  readonly collector: Collector;
}

/** Compares the item with what the browser finds, if its scraper asks for it and its turn has come. */
const checked = async (
  { scrapers, item, checks }: ItemRun,
  runOnce: (way?: Way, by?: RunBy) => Promise<Run>,
  mayRepeat: () => boolean,
): Promise<Run> => {
  const { check, version, extraction } = scrapers[item.scraper]!.ready;
  if (!check || !checks) return await runOnce();
  return await checks.all.run({
    key: { lane: item.lane, key: version },
    oneIn: check.oneIn,
    required: extraction?.required ?? [],
    own: () => runOnce(),
    async other() {
      const collector = await checks.collector();
      return collector && (await runOnce("browser", { ready: check.ready, collector }));
    },
    mayRepeat,
  });
};

/** One way of getting an item's pages, and what they say. */
interface Run {
  readonly collected: Collected;
  readonly judged: Judged | { readonly failure: Failure } | undefined;
  readonly discovered: { readonly found: readonly Discovery[] } | { readonly failure: Failure };
  readonly failure: Failure | undefined;
  readonly result: WayResult;
  readonly records: () => readonly RecordFields[];
  drop(): Promise<void>;
}

type Cost = Pick<Attempt, "requests" | "bytes"> & { readonly proxyBytes?: number | undefined };
type WholeCost = Cost & { readonly proxyBytes: number };

/** Includes the cost of an earlier way in the same attempt. It grows with the session. */
const costOf = (spent: Cost, session: Cost): WholeCost => ({
  get requests() {
    return spent.requests + session.requests;
  },
  get bytes() {
    return spent.bytes + session.bytes;
  },
  get proxyBytes() {
    return (spent.proxyBytes ?? 0) + (session.proxyBytes ?? 0);
  },
});

/** Includes the price of the proxy traffic so far. */
const priced = (
  cost: WholeCost,
  exit: ItemExit | undefined,
): Pick<Attempt, "requests" | "bytes" | "proxied"> =>
  exit?.isPaid
    ? {
        get requests() {
          return cost.requests;
        },
        get bytes() {
          return cost.bytes;
        },
        get proxied() {
          return exit.costs(cost.requests, cost.proxyBytes).proxied!;
        },
      }
    : cost;

const collectAndJudge = async (
  run: ItemRun,
  input: unknown,
  {
    bundle,
    spent,
    way,
    by,
  }: {
    readonly bundle: ReturnType<typeof openItemArchive>;
    readonly spent: WholeCost;
    readonly way: Way | undefined;
    readonly by?: RunBy | undefined;
  },
): Promise<Run> => {
  const { item, onSession } = run;
  const { ready } = run.scrapers[item.scraper]!;
  const collected = await collect({
    ready: by?.ready ?? ready,
    collector: by?.collector ?? run.collector,
    input,
    ...(way && { way }),
    route: () => run.exit?.route,
    attempt: item.attempt,
    ...(run.spec.guardsTargets && { guardsTargets: true }),
    validators: by ? undefined : run.freshness?.validators,
    sharedBy: `${run.spec.client}\n${item.job}\n${item.lane}`,
    tools: { gate: run.gate, ...bundle.tools },
    controller: by ? childOf(run.controller) : run.controller,
    onSession: (session) => onSession?.(priced(costOf(spent, session), run.exit)),
    onLate: run.onLate,
  });
  const { session } = collected;
  const judged = collected.ended === "pages" ? extractAndJudge(run, collected) : undefined;
  const discovered =
    collected.ended === "pages" && !judged?.failure && ready.emits.length > 0
      ? discover(ready.emits, session.kept.pages, input)
      : NOTHING_FOUND;
  const failure = failureOf(collected, judged, discovered);
  const missing = judged && "missing" in judged ? judged.missing : [];
  const { ended } = collected;
  return {
    collected,
    judged,
    discovered,
    failure,
    result: { way: way ?? "http", ended, failure, missing, sign: session.scriptSign },
    records: () =>
      judged && "lines" in judged
        ? judged.lines.map((line) => (JSON.parse(line) as { readonly fields: RecordFields }).fields)
        : [],
    async drop() {
      Object.assign(spent, { ...costOf(spent, session) });
      onSession?.(priced({ ...spent }, run.exit));
      await session.close();
    },
  };
};

/** Ends with the other; if it ends first, because a check took too long, the item continues. */
const childOf = ({ signal }: AbortController): AbortController => {
  const child = new AbortController();
  if (signal.aborted) child.abort(signal.reason);
  else signal.addEventListener("abort", () => child.abort(signal.reason), { once: true });
  return child;
};

/** For the archive: a lost ledger is rebuilt from these lines. */
const settledLine = (
  { item, worker, revision }: ItemRun,
  settled: Omit<SettledItem, "queue" | "seq" | "lease">,
): string => {
  const { key, scraper, queue, seq } = item;
  return JSON.stringify({
    key,
    scraper,
    place: [queue, seq],
    revision,
    worker,
    ...settled,
  } satisfies SettledLine);
};

/** Compares with the last time, if the job asks for it. */
const compared = (
  { freshness }: ItemRun,
  collected: Collected,
  outcome: Outcome,
  records: readonly string[] | undefined,
): { readonly outcome: Outcome; readonly fresh?: FreshNote } => {
  const { session } = collected;
  return freshness?.end({ outcome, session, records }) ?? { outcome };
};

const NOTHING_FOUND: { readonly found: readonly Discovery[] } = { found: [] };

/** Within the counts of all fields of the job. */
const placed = (counts: readonly number[], fieldsAt: number): readonly number[] =>
  fieldsAt === 0 ? counts : [...Array.from({ length: fieldsAt * FIELD_STATUSES.length }, () => 0), ...counts];

const extractAndJudge = (
  { item, scrapers }: ItemRun,
  { session }: Collected,
): Judged | { readonly failure: Failure } | undefined => {
  const { extraction, scraper, version } = scrapers[item.scraper]!.ready;
  if (!extraction) return undefined;
  const raw = extract(extraction, session.kept.pages);
  if ("failure" in raw) return raw;
  return judge(raw.records, extraction, { job: item.job, key: item.key, scraper: scraper.name, version });
};

const failureOf = (
  collected: Collected,
  judged: { readonly failure?: Failure } | undefined,
  discovered: { readonly failure?: Failure } | { readonly found: unknown },
): Failure | undefined => {
  if (collected.ended === "failure") return collected.failure;
  return judged?.failure ?? ("failure" in discovered ? discovered.failure : undefined);
};

const outcomeOf = (
  { item, spec, scrapers, hasActed }: ItemRun,
  collected: Collected,
  judged: Judged | { readonly failure: Failure } | undefined,
  failure: Failure | undefined,
  canMoveTier: boolean,
): Outcome => {
  if (failure)
    return afterFailure({
      failure,
      canMoveTier,
      attempt: item.attempt,
      throttles: item.throttles,
      hasActed: hasActed(),
      overrides: scrapers[item.scraper]!.ready.scraper.failures,
      maxAttempts: spec.maxAttempts,
      random: Math.random(),
    });
  if (collected.ended === "absent") return { state: "absent", detail: collected.detail };
  return { state: "done", quality: judged && "quality" in judged ? judged.quality : "complete" };
};

const LEFT_IN_DOUBT: Failure = {
  kind: "worker-lost",
  detail: "its acting request was sent, but the result could not be stored; it is not retried automatically",
};

/** An item that is released, or whose bytes could not be stored, is not at fault: it goes back unchanged, unless it has acted. */
export const givenBack = (
  { queue, seq, lease }: ClaimedItem,
  hasActed: boolean,
  cost: Pick<Attempt, "requests" | "bytes">,
): SettledItem => ({
  queue,
  seq,
  lease,
  attempt: { startedAt: Date.now(), ms: 0, ...cost },
  outcome: hasActed ? { state: "failed", failure: LEFT_IN_DOUBT } : { state: "returned" },
  captures: [],
  records: null,
  fieldCounts: null,
  emitted: [],
});

/** Loads the comparison with the last time on demand: the first request of other jobs does not wait for it. */
export const freshnessOf = async (
  { ledger, blobs }: Pick<WorkerOptions, "ledger" | "blobs">,
  item: ClaimedItem,
  spec: JobSpec,
  ready: CompiledScraper,
): Promise<ItemFreshness | undefined> => {
  if (!spec.freshness) return undefined;
  const { ItemFreshness } = await import("../freshness/item-freshness.ts");
  return await ItemFreshness.of({ ledger, readCapture: (ref) => readCapture(blobs, ref) }, item, spec, ready);
};

/** Holds a job whose scrapers cannot be loaded, and returns its items. Without `holdJob`, the error ends the worker. */
export const loadOrHold = async (
  { loadJob, holdJob, log }: Pick<WorkerOptions, "loadJob" | "holdJob" | "log">,
  item: ClaimedItem,
): Promise<LoadedJob> => {
  const { job } = item;
  try {
    return await loadJob(item);
  } catch (error) {
    if (!(error instanceof ScraperLoadError) || !holdJob) throw error;
    log.error("job held", { job, reason: error.message });
    await holdJob(job, error.message);
    throw new StopError(error.message);
  }
};

/** Reports to each lane that the item used what slows it down, or that it is healthy. */
export const reportLanes = (
  item: ClaimedItem,
  lanes: ReadonlyMap<string, string>,
  failure: Failure | undefined,
  overrides: PolicyOverrides | undefined,
  pulse: Pulse,
  scheduler: SlotScheduler,
): void => {
  const host = failure?.url === undefined ? "" : new URL(failure.url).host;
  const troubled = failure && failureInfo(failure.kind).isOfSite ? (lanes.get(host) ?? item.lane) : undefined;
  for (const lane of new Set(lanes.values())) if (lane !== troubled) pulse.lane(lane, "ok");
  if (!failure || troubled === undefined) return;
  if (failure.kind === "rate-limited") scheduler.close(troubled);
  const slows = failurePolicy(failure.kind, overrides).slowsLane;
  pulse.lane(troubled, failure.kind, { retryAfterMs: failure.retryAfterMs, slows });
};
