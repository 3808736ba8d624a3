import type { JobSpec } from "../src/domain/job.ts";
import type { PlannedItem } from "../src/ports/ledger.ts";

export const QUEUE_LANE = "bench.example";

/** A job without a rate, so that the ledger is measured and not the waiting. */
export const queueJob = (id: string): JobSpec => ({
  id,
  client: "bench",
  scraper: BENCH.name,
  ...BENCH,
  scrapers: [BENCH],
  maxItems: Number.MAX_SAFE_INTEGER,
  maxDepth: 0,
});

const BENCH = {
  name: "bench",
  source: "page",
  version: "bench",
  pace: { perSecond: Infinity, burst: 1, concurrency: 1_000 },
  extracts: true,
  fields: ["parcel", "owner", "situs", "year", "assessed", "tax", "status", "lastPaid"],
  required: ["parcel"],
  policy: {},
};

export const queueItems = (from: number, to: number): PlannedItem[] =>
  Array.from({ length: to - from }, (_, i) => {
    const key = `https://${QUEUE_LANE}/parcel/${from + i}`;
    return { key, input: JSON.stringify({ url: key }), lane: QUEUE_LANE };
  });
