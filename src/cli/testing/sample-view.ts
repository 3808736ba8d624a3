import type { StateCounts } from "../../domain/item.ts";
import type { JobView } from "../../domain/job.ts";

const NO_STATES: StateCounts = {
  queued: 0,
  leased: 0,
  waiting: 0,
  done: 0,
  absent: 0,
  failed: 0,
  skipped: 0,
  cancelled: 0,
};

const ROOT = {
  name: "county",
  source: "file:///county.ts",
  version: "0123456789abcdef",
  pace: { perSecond: 5, burst: 1, concurrency: 4 },
  policy: {},
  extracts: true,
};

export interface Sample extends Partial<Omit<JobView, "counts" | "spec">> {
  readonly states?: Partial<StateCounts>;
  readonly counts?: Partial<Omit<JobView["counts"], "states">>;
  readonly spec?: Partial<JobView["spec"]>;
}

/** A job for tests of what is shown: its counts add up, everything else as given. */
export const sampleView = ({ states, counts, spec, ...rest }: Sample = {}): JobView => {
  const all = { ...NO_STATES, ...states };
  const accepted = Object.values(all).reduce((sum, count) => sum + count, 0);
  const { pace = ROOT.pace, fields = [], required = [] } = spec ?? {};
  const { folded = 0, rejected = 0, capped = 0 } = counts ?? {};
  return {
    spec: {
      id: "20261115-203412-k3f9",
      client: "local",
      scraper: ROOT.name,
      source: ROOT.source,
      version: ROOT.version,
      pace,
      fields,
      required,
      policy: {},
      scrapers: [{ ...ROOT, pace, fields, required }],
      extracts: true,
      maxItems: 1_000_000,
      maxDepth: 0,
      ...spec,
    },
    state: "running",
    isSealed: true,
    createdAt: Date.UTC(2026, 10, 15, 20, 34, 12),
    counts: {
      received: accepted + folded + rejected + capped,
      accepted,
      folded,
      rejected,
      capped,
      states: all,
    },
    cappedBy: { items: 0, depth: 0, chain: 0, budget: 0, quota: 0 },
    partial: 0,
    failures: [],
    attemptFailures: {},
    fieldCounts: [],
    held: [],
    rejects: [],
    requests: 0,
    bytes: 0,
    ...rest,
  };
};
