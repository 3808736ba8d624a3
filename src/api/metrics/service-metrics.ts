import { Counter, Gauge, type Registry as Register } from "prom-client";
import { FAILURE_KINDS } from "../../domain/failure.ts";
import { ITEM_STATES } from "../../domain/item.ts";
import { FIELD_STATUSES } from "../../domain/record.ts";
import { ScaleWatch } from "../../services/scale.ts";
import { timeCounts, type Timed, type WorkSum, type WorkSums } from "../../domain/work-sums.ts";
import { datasetStates } from "../../services/datasets.ts";
import type { Ledger } from "../../ports/ledger.ts";
import type { Registry } from "../../ports/registry.ts";
import { pointerCounts } from "../../services/version-documents.ts";
import { EventTotals } from "./event-totals.ts";
import { allSchedules, type StoredSchedule } from "../../services/schedule-documents.ts";
import {
  INPUT_FATES,
  JOB_STATES,
  JobTotals,
  laneTotals,
  type LaneTotals,
  type TallyName,
} from "./job-totals.ts";

/** Due and parked deliveries are counted up to this number. */
const MOST_COUNTED = 500;
const RESULTS = ["done", "absent", ...FAILURE_KINDS] as const;
const OPEN_STATES = ["loading", "running", "paused"] as const;

export interface FigureSource {
  readonly ledger: Pick<
    Ledger,
    | "documents"
    | "events"
    | "listJobs"
    | "readJob"
    | "sumOpenJobs"
    | "listLanes"
    | "listWorkers"
    | "readWorkSums"
    | "readBacklog"
  >;
  readonly registry: Pick<Registry, "listDeliveries">;
  readonly version: string;
}

/** Figures of the whole installation from ledger and registry, as of the last look. */
export const serviceMetrics = (
  { ledger, registry, version }: FigureSource,
  register: Register,
): { look(): Promise<void>; histograms(): string } => {
  const registers = [register];
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name: `sluice_${name}`, help, labelNames, registers });
  const jobs = new JobTotals(ledger);

  const info = gauge("build_info", "Always 1; the version is a label.", "version");
  info.set({ version }, 1);
  const looked = gauge("look_duration_seconds", "Duration of the last read of ledger and registry.");

  /** Sums over jobs: one series per value of the label, or a single one. */
  const sums: (() => void)[] = [];
  const sumGauge = (name: string, help: string, label: string, parts: Parts): void => {
    const series = gauge(name, help, label);
    sums.push(() => parts.forEach(([value, tally]) => series.set({ [label]: value }, jobs.get(tally))));
  };
  const sumCounter = (name: string, help: string, label: string, parts: Parts): void => {
    const counter = new Counter({ name: `sluice_${name}_total`, help, labelNames: [label], registers });
    sums.push(() => {
      // The ledger has the sums; a counter only knows increments.
      counter.reset();
      for (const [value, tally] of parts) counter.inc({ [label]: value }, jobs.get(tally));
    });
  };
  const onlyCounter = (name: string, help: string, tally: TallyName): void => {
    const counter = new Counter({ name: `sluice_${name}_total`, help, registers });
    sums.push(() => {
      counter.reset();
      counter.inc(jobs.get(tally));
    });
  };
  sumGauge("jobs", "Jobs, by state.", "state", partsOf(JOB_STATES, "jobs"));
  sumGauge("items", "Items of all jobs, by state.", "state", partsOf(ITEM_STATES, "items"));
  sumGauge(
    "queue_depth",
    "Items queued or waiting for a retry, by the state of their job.",
    "job_state",
    partsOf(OPEN_STATES, "depth"),
  );
  sumGauge("items_failed", "Failed items, by failure kind.", "kind", partsOf(FAILURE_KINDS, "failed"));
  const held = gauge("held_queues", "Queues (a job's items in one lane) that the breaker has stopped.");
  sums.push(() => held.set(jobs.get("held")));
  sumCounter("inputs", "Inputs received, by result.", "fate", partsOf(INPUT_FATES, "inputs"));
  sumCounter(
    "attempts",
    "Settled attempts, by result: done, absent or the failure kind.",
    "result",
    partsOf(RESULTS, "attempts"),
  );
  sumCounter("fields", "Fields of records, by status.", "status", partsOf(FIELD_STATUSES, "fields"));
  onlyCounter("partial_items", "Items done with a required field missing.", "partial");
  onlyCounter("requests", "Requests to sites, of settled attempts.", "requests");
  onlyCounter("received_bytes", "Bytes from sites, of settled attempts.", "bytes");

  const schedules = scheduleFigures(gauge, register);
  const events = new EventTotals(ledger.events, register);
  const pointers = gauge(
    "scraper_versions",
    "Scrapers with a version of this kind: active, a canary that runs, or a previous one to return to.",
    "pointer",
  );
  const lanes = laneGauges(gauge);
  const workers = gauge("workers", "Workers, by state.", "state");
  const useful = gauge("workers_useful", "Workers that would be useful now, by the kind of jobs.", "kind");
  const scale = new ScaleWatch({ ledger });
  const capacity = gauge("workers_capacity_items", "Items that all workers can run at the same time.");
  const work = workFigures(register);
  const deliveries = gauge(
    "deliveries",
    `Webhook deliveries that are not delivered, by state; each counted up to ${MOST_COUNTED}.`,
    "state",
  );

  const datasets = gauge("datasets", "Datasets, by the state of their releases.", "state");

  return {
    async look() {
      const startedAt = performance.now();
      await jobs.look();
      for (const set of sums) set();
      lanes(await laneTotals(ledger));
      schedules(await Array.fromAsync(allSchedules(ledger)), jobs.successes());
      await events.look();
      for (const [pointer, count] of Object.entries(await pointerCounts(ledger)))
        pointers.set({ pointer }, count);

      const seen = { working: 0, draining: 0, alone: 0 };
      let room = 0;
      for (const { isAlone, isDraining, concurrency } of await ledger.listWorkers()) {
        seen[isAlone ? "alone" : isDraining ? "draining" : "working"]++;
        room += concurrency ?? 0;
      }
      for (const [state, count] of Object.entries(seen)) workers.set({ state }, count);
      capacity.set(room);
      const { kinds } = await scale.look();
      for (const [kind, { workers: count }] of Object.entries(kinds)) useful.set({ kind }, count);
      work.show(await ledger.readWorkSums());

      for (const state of ["due", "parked"] as const) {
        const found = await registry.listDeliveries({ states: [state], limit: MOST_COUNTED });
        deliveries.set({ state }, found.length);
      }
      for (const [state, count] of Object.entries(await datasetStates(ledger, Date.now())))
        datasets.set({ state }, count);
      looked.set((performance.now() - startedAt) / 1000);
    },
    histograms: () => work.histograms(),
  };
};

type Parts = readonly (readonly [value: string, tally: TallyName])[];

const partsOf = <Value extends string, Name extends string>(
  values: readonly Value[],
  name: `${Name} ${Value}` extends TallyName ? Name : never,
): Parts => values.map((value) => [value, `${name} ${value}` as TallyName]);

const laneGauges = (
  gauge: (name: string, help: string, ...labels: string[]) => Gauge,
): ((totals: LaneTotals) => void) => {
  const counted = gauge("lanes", "Lanes, by condition; one may be in several.", "condition");
  const backlog = gauge("lane_backlog_items", "Items that have not ended, in the busiest lanes.", "lane");
  const inFlight = gauge("lane_items_in_flight", "Items in flight, in the busiest lanes.", "lane");
  const rate = gauge(
    "lane_requests_per_second",
    "Current rate limit of the busiest lanes; +Inf for no limit.",
    "lane",
  );
  const tier = gauge(
    "lane_proxy_tier",
    "Position of the current proxy tier in its ladder, 0 for the cheapest, in the busiest lanes.",
    "lane",
    "ladder",
    "tier",
  );
  const speed = gauge("lane_speed_ratio", "1 at full pace, less while the lane is slowed down.", "lane");
  return ({ busiest, ...counts }) => {
    counted.set({ condition: "known" }, counts.all);
    counted.set({ condition: "busy" }, counts.busy);
    counted.set({ condition: "spared" }, counts.spared);
    counted.set({ condition: "held-by-operator" }, counts.heldByOperator);
    counted.set({ condition: "slowed" }, counts.slowed);
    for (const one of [backlog, inFlight, rate, speed, tier]) one.reset();
    for (const { lane, ...state } of busiest) {
      backlog.set({ lane }, state.backlog);
      inFlight.set({ lane }, state.inFlight);
      rate.set({ lane }, state.perSecond);
      speed.set({ lane }, state.factor);
      for (const { ladder, tier: at } of state.ladders ?? [])
        tier.set({ lane, ladder: ladder.join(), tier: at }, ladder.indexOf(at));
    }
  };
};

const FIRING_COUNTS = ["fired", "done", "failed", "skipped", "missed"] as const;

/** The newest thousand scrapers have a series, those with schedules first. */
const MOST_SCRAPERS = 1000;

const scheduleFigures = (
  gauge: (name: string, help: string, ...labels: string[]) => Gauge,
  register: Register,
): ((schedules: readonly StoredSchedule[], runs: ReadonlyMap<string, number>) => void) => {
  const known = gauge("schedules", "Schedules, by condition; one may be in several.", "condition");
  const success = gauge(
    "scraper_last_success_timestamp_seconds",
    "When a firing of the scraper's schedules last succeeded, or a job if it has no schedule; 0 for never.",
    "scraper",
  );
  const firings = new Counter({
    name: "sluice_schedule_firings_total",
    help: "Firings of existing schedules, by result.",
    labelNames: ["result"],
    registers: [register],
  });
  return (schedules, runs) => {
    const bodies = schedules.map(({ body }) => body);
    known.set({ condition: "known" }, bodies.length);
    known.set({ condition: "paused" }, bodies.filter(({ pausedAt }) => pausedAt !== undefined).length);
    known.set({ condition: "running" }, bodies.filter(({ running }) => running.length > 0).length);
    known.set({ condition: "missed" }, bodies.filter(({ missing }) => missing !== undefined).length);
    known.set({ condition: "late" }, bodies.filter(({ lateSince }) => lateSince !== undefined).length);
    firings.reset();
    for (const result of FIRING_COUNTS)
      firings.inc(
        { result },
        bodies.reduce((sum, { counts }) => sum + counts[result], 0),
      );
    success.reset();
    const last = new Map<string, number>();
    for (const { scraper, lastSuccessAt = 0 } of bodies)
      last.set(scraper, Math.max(lastSuccessAt, last.get(scraper) ?? 0));
    for (const [scraper, at] of [...runs].toSorted(([, a], [, b]) => b - a))
      if (!last.has(scraper)) last.set(scraper, at);
    for (const [scraper, at] of [...last].slice(0, MOST_SCRAPERS)) success.set({ scraper }, at / 1000);
  };
};

const TIMES: readonly (readonly [what: Timed, name: string, help: string])[] = [
  ["claim", "sluice_claim_duration_seconds", "Time that workers waited for the response to a claim."],
  [
    "settle",
    "sluice_settle_duration_seconds",
    "Time that workers waited until a batch of items was settled.",
  ],
  ["lane-wait", "sluice_lane_wait_seconds", "Time that requests waited for a slot of their lane."],
];

const COUNTS: readonly (readonly [what: WorkSum, name: string, help: string])[] = [
  ["lost workers", "sluice_workers_lost_total", "Workers that died or stopped responding."],
  ["lost leases", "sluice_leases_lost_total", "Leases that ended before all of their items were settled."],
  ["suspect items", "sluice_suspect_items_total", "Items that lost workers may have been running."],
  [
    "refused settles",
    "sluice_settles_refused_total",
    "Settled items that were refused because their lease had ended.",
  ],
  ["removed jobs", "sluice_removed_jobs_total", "Removed jobs."],
  ["removed items", "sluice_removed_items_total", "Items removed with their jobs."],
  ["removed captures", "sluice_removed_captures_total", "Removed pages and files."],
  ["removed bytes", "sluice_removed_bytes_total", "Bytes deleted from the archive."],
];

const PROXY_COUNTS = [
  ["requests", "sluice_proxy_requests_total", "Requests through proxies, by tier.", 1],
  ["bytes", "sluice_proxy_bytes_total", "Bytes on connections to proxies, by tier.", 1],
  ["micro-cost", "sluice_proxy_cost_total", "Price of proxies by tier, in the configured currency.", 1e-6],
] as const;

const STORAGE_COUNTS = [
  ["requests", "sluice_storage_requests_total", "Requests of workers to a paid blob store, by kind."],
  ["bytes", "sluice_storage_bytes_total", "Bytes of those requests."],
] as const;

/** Figures that workers reported, and losses: sums over all workers, past and present, from the ledger. */
const workFigures = (register: Register): { show(sums: WorkSums): void; histograms(): string } => {
  let shown: WorkSums = {};
  const counters = COUNTS.map(([what, name, help]) => {
    return { what, counter: new Counter({ name, help, registers: [register] }) };
  });
  const proxies = PROXY_COUNTS.map(([what, name, help, unit]) => ({
    prefix: `proxy ${what} of `,
    unit,
    counter: new Counter({ name, help, labelNames: ["tier"], registers: [register] }),
  }));
  const storage = STORAGE_COUNTS.map(([what, name, help]) => ({
    what,
    counter: new Counter({ name, help, labelNames: ["kind"], registers: [register] }),
  }));
  return {
    show(sums) {
      shown = sums;
      for (const { what, counter } of storage) {
        counter.reset();
        for (const kind of ["write", "read", "list", "delete"] as const)
          counter.inc({ kind }, sums[`storage ${kind} ${what}`] ?? 0);
      }
      for (const { prefix, unit, counter } of proxies) {
        counter.reset();
        for (const [name, value = 0] of Object.entries(sums))
          if (name.startsWith(prefix)) counter.inc({ tier: name.slice(prefix.length) }, value * unit);
      }
      for (const { what, counter } of counters) {
        counter.reset();
        counter.inc(sums[what] ?? 0);
      }
    },
    /** The library cannot hold these. */
    histograms: () => TIMES.map(([what, name, help]) => histogram(shown, what, name, help)).join("\n"),
  };
};

/** In the text format: the library's histograms only know their own observations. */
const histogram = (sums: WorkSums, what: Timed, name: string, help: string): string => {
  const { within, count, seconds } = timeCounts(sums, what);
  const buckets = [...within, ["+Inf", count] as const];
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} histogram`,
    ...buckets.map(([bound, upTo]) => `${name}_bucket{le="${bound}"} ${upTo}`),
    `${name}_sum ${seconds}`,
    `${name}_count ${count}`,
    "",
  ].join("\n");
};
