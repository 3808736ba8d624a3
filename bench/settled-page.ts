import type { ClaimedItem, SettledItem } from "../src/ports/ledger.ts";

const DIGEST = `sha256:${"5a".repeat(32)}`;
const ITEMS_A_SEGMENT = 1_000;
/** Eight fields, all present. */
const FIELD_COUNTS = Array.from({ length: 8 }, () => [1, 0, 0, 0]).flat();

/** The result of an item with one stored page and one record: everything that a settle writes. */
export const settledPage = ({ queue, seq, lease, key }: ClaimedItem): SettledItem => {
  const segment = Math.floor(seq / ITEMS_A_SEGMENT);
  const place = seq % ITEMS_A_SEGMENT;
  const name = `bench-host-4711-a1b2c3-0123456789ab-${String(segment).padStart(6, "0")}`;
  return {
    queue,
    seq,
    lease,
    outcome: { state: "done", quality: "complete" },
    attempt: { startedAt: 1_794_000_000_000 + seq, ms: 42, requests: 1, bytes: 12_000 },
    captures: [
      {
        name: "detail",
        url: key,
        mediaType: "text/html",
        digest: DIGEST,
        blob: `jobs/bench/captures/${name}.warc.gz`,
        offset: place * 2_400,
        length: 2_400,
      },
    ],
    records: { blob: `jobs/bench/records/${name}.jsonl`, offset: place * 900, length: 900 },
    fieldCounts: FIELD_COUNTS,
    emitted: [],
  };
};
