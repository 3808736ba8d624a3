import { setTimeout as delay } from "node:timers/promises";
import { startPacker } from "../../archive/packer.ts";
import { openArchive } from "../../archive/segment-writer.ts";
import type { Outcome } from "../../domain/item.ts";
import type { ClaimedItem, FreshNote, SettledItem } from "../../ports/ledger.ts";
import type { ApiKit } from "./api-kit.ts";

interface Collected {
  readonly body: string | Uint8Array;
  readonly headers?: readonly (readonly [string, string])[];
  readonly outcome?: Outcome;
  /** Values of its one record. */
  readonly record?: Readonly<Record<string, unknown>>;
  /** What it leaves for later jobs. */
  readonly fresh?: FreshNote;
}

const WORKER = "tester";

/** Runs a job's items by hand: each has one page, kept as `page`, and ends as told. For tests. */
export const collectJob = async (
  { ledger, blobs }: Pick<ApiKit, "ledger" | "blobs">,
  job: string,
  pageOf: (item: ClaimedItem) => Collected,
): Promise<void> => {
  await using packer = startPacker();
  await using archive = openArchive({ blobs, packer, job, software: "tests" });
  for (;;) {
    const grant = await ledger.claim({ worker: WORKER, room: 100, inFlight: new Map(), jobs: [job] });
    if (grant.items.length === 0 && grant.againInMs === undefined) return;
    if (grant.items.length === 0) await delay(grant.againInMs);
    const settling = grant.items.map(async (item): Promise<SettledItem> => {
      const { body, headers = [], outcome, record, fresh } = pageOf(item);
      const bytes = Buffer.from(body);
      const bundle = archive.item();
      const number = await bundle.exchange({
        method: "GET",
        url: `https://${item.lane}/${item.key}`,
        startedAt: 0,
        requestHeaders: [],
        status: 200,
        statusText: "OK",
        responseHeaders: [["content-type", "text/html; charset=utf-8"], ...headers],
        body: bytes,
      });
      bundle.keep("page", number);
      const { queue, seq, lease } = item;
      return {
        queue,
        seq,
        lease,
        outcome: outcome ?? { state: "done", quality: "complete" },
        attempt: { startedAt: 0, ms: 1, requests: 1, bytes: bytes.length },
        fieldCounts: null,
        emitted: [],
        ...(fresh && { fresh }),
        ...(await bundle.commit(record ? [recordLine(record)] : [])),
      };
    });
    await new Promise((turn) => setImmediate(turn));
    await archive.seal();
    await ledger.settle(WORKER, await Promise.all(settling));
  }
};

const recordLine = (values: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({
    quality: "complete",
    fields: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        { status: value === null ? "missing" : "present", value },
      ]),
    ),
  });
