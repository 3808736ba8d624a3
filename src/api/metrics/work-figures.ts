import { Counter, type Registry as Register } from "prom-client";
import { timeCounts, type Timed, type WorkSum, type WorkSums } from "../../domain/work-sums.ts";

const TIMES: readonly (readonly [what: Timed, name: string, help: string])[] = [
  ["claim", "sluice_claim_duration_seconds", "How long workers waited for the answer to a claim."],
  ["settle", "sluice_settle_duration_seconds", "How long workers waited until a batch of items was settled."],
  ["lane-wait", "sluice_lane_wait_seconds", "How long requests waited for a slot of their lane."],
];

const COUNTS: readonly (readonly [what: WorkSum, name: string, help: string])[] = [
  ["lost workers", "sluice_workers_lost_total", "Workers that died or fell silent."],
  ["lost leases", "sluice_leases_lost_total", "Leases that ended before all of their items were settled."],
  ["suspect items", "sluice_suspect_items_total", "Items that lost workers may have been running."],
  [
    "refused settles",
    "sluice_settles_refused_total",
    "Items that had been taken from their worker when it settled them.",
  ],
  ["removed jobs", "sluice_removed_jobs_total", "Jobs that were removed."],
  ["removed items", "sluice_removed_items_total", "Items that were removed with their jobs."],
  ["removed captures", "sluice_removed_captures_total", "Kept pages and files that were removed."],
  ["removed bytes", "sluice_removed_bytes_total", "What was deleted from the archive, in bytes."],
];

/** What workers have told of their work, and what was lost with them: sums over all that there ever were, as the ledger has them. */
export const workFigures = (register: Register): { show(sums: WorkSums): void; histograms(): string } => {
  let shown: WorkSums = {};
  const counters = COUNTS.map(([what, name, help]) => {
    return { what, counter: new Counter({ name, help, registers: [register] }) };
  });
  return {
    show(sums) {
      shown = sums;
      for (const { what, counter } of counters) {
        counter.reset();
        counter.inc(sums[what] ?? 0);
      }
    },
    /** Which the register cannot keep. */
    histograms: () => TIMES.map(([what, name, help]) => histogram(shown, what, name, help)).join("\n"),
  };
};

/** In the text format; the library's histograms know only what they have observed themselves. */
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
