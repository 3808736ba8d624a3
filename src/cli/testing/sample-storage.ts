import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../../archive/stored-bytes.ts";
import { openStorage } from "../../compose.ts";
import type { Storage } from "../../ports/storage.ts";
import type { Outcome } from "../../domain/item.ts";
import type { JobSpec } from "../../domain/job.ts";
import type { JudgedField } from "../../domain/record.ts";
import type { SettledItem } from "../../ports/ledger.ts";
import { sampleView } from "./sample-view.ts";

export interface SampleStorage extends Storage {
  readonly job: string;
}

export interface Ending {
  readonly outcome: Outcome;
  /** Values of its records. */
  readonly records?: readonly Readonly<Record<string, unknown>>[];
}

const DEFAULTS = {
  attempt: { startedAt: 0, ms: 1, requests: 1, bytes: 100 },
  captures: [],
  fieldCounts: null,
  emitted: [],
};

/** A storage with one job whose items `0`, `1`, … ended as given; items without an ending are still queued. */
export const openSampleStorage = async (
  count: number,
  endingOf: (n: number) => Ending | undefined,
  spec: Partial<JobSpec> = {},
): Promise<SampleStorage> => {
  const data = await mkdtemp(join(tmpdir(), "sluice-storage-"));
  const storage = await openStorage(data);
  const { ledger, blobs } = storage;
  const job = sampleView().spec.id;
  const pace = { perSecond: Infinity, burst: 1, concurrency: count };
  await ledger.createJob(
    sampleView({ spec: { pace, fields: ["owner", "tax"], required: ["owner"], ...spec } }).spec,
  );
  const numbers = Array.from({ length: count }, (_, n) => n);
  const planned = numbers.map((n) => ({
    key: String(n),
    input: JSON.stringify({ parcel: `p${n}` }),
    lane: "example.org",
  }));
  await ledger.addItems(job, planned, [{ line: 9, problem: "parcel: required" }]);
  await ledger.sealJob(job);

  const grant = await ledger.claim({ worker: "tester", room: count, inFlight: new Map() });
  const blob = `jobs/${job}/records/tester-0.jsonl`;
  const segment: Uint8Array[] = [];
  let size = 0;
  const settled = grant.items.map(({ queue, seq, lease, key }): SettledItem => {
    const { outcome = { state: "returned" } as const, records = [] } = endingOf(Number(key)) ?? {};
    const lines = Buffer.from(records.map((values) => `${recordLine(values)}\n`).join(""));
    const range = { blob, offset: size, length: lines.length, digest: sha256(lines) };
    size += lines.length;
    segment.push(lines);
    return { queue, seq, lease, outcome, ...DEFAULTS, records: lines.length > 0 ? range : null };
  });
  await blobs.put(blob, Buffer.concat(segment));
  await ledger.settle("tester", settled);
  return {
    ...storage,
    job,
    async [Symbol.asyncDispose]() {
      await ledger.close();
      await rm(data, { recursive: true });
    },
  };
};

const recordLine = (values: Readonly<Record<string, unknown>>): string => {
  const fields = Object.entries(values).map(([name, value]): [string, JudgedField] => [
    name,
    value === undefined
      ? { status: "missing", value: null }
      : { status: "present", value, raw: JSON.stringify(value) },
  ]);
  const quality = Object.values(values).includes(undefined) ? "partial" : "complete";
  return JSON.stringify({ key: "k", quality, fields: Object.fromEntries(fields) });
};
