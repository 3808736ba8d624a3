import { randomBytes } from "node:crypto";
import { storeFile } from "../../src/archive/segment-writer.ts";
import type { Storage } from "../../src/ports/storage.ts";
import { collectJob } from "../../src/api/testing/collected-job.ts";
import type { Scale } from "./attack.ts";
import { QUEUE_LANE, queueItems, queueJob } from "../queue-job.ts";

export const BIG_JOB = "big";
export const FILE_JOB = "file";
/** One whose objects an attack damages. */
export const SMALL_JOB = "small";
export const SMALL_ITEMS = 50;

/** Jobs of the attacker that are over: one of many items, one of a large file, and a small one. */
export const fillJobs = async (storage: Storage, { items, fileBytes }: Scale): Promise<void> => {
  await fillJob(storage, BIG_JOB, items);
  await fillJob(storage, SMALL_JOB, SMALL_ITEMS);
  const { ledger, blobs } = storage;
  await ledger.createJob({ ...queueJob(FILE_JOB), client: "attacker" });
  await ledger.addItems(FILE_JOB, queueItems(0, 1), []);
  await ledger.sealJob(FILE_JOB);
  const claim = { worker: "filler", room: 1, inFlight: new Map(), jobs: [FILE_JOB] };
  const [item] = (await ledger.claim(claim)).items;
  const url = `https://${QUEUE_LANE}/file.bin`;
  const head = {
    method: "GET",
    url,
    startedAt: 0,
    requestHeaders: [],
    status: 200,
    statusText: "OK",
    responseHeaders: [],
  };
  const { blob, size, digest } = await storeFile(blobs, FILE_JOB, head, pieces(fileBytes));
  const { queue, seq, lease } = item!;
  await ledger.settle("filler", [
    {
      queue,
      seq,
      lease,
      outcome: { state: "done", quality: "complete" },
      attempt: { startedAt: 0, ms: 1, requests: 1, bytes: size },
      captures: [
        { name: "file", url, mediaType: "application/octet-stream", digest, blob, offset: 0, length: size },
      ],
      records: null,
      fieldCounts: null,
      emitted: [],
    },
  ]);
  // No worker holds items of these two.
  for (const worker of ["filler", "tester"]) await ledger.reap({ worker });
};

const fillJob = async (storage: Storage, job: string, items: number): Promise<void> => {
  const { ledger } = storage;
  await ledger.createJob({ ...queueJob(job), client: "attacker" });
  for (let from = 0; from < items; from += 10_000)
    await ledger.addItems(job, queueItems(from, Math.min(items, from + 10_000)), []);
  await ledger.sealJob(job);
  const owner = "somebody of a long name ".repeat(10);
  await collectJob(storage, job, ({ key }) => ({ body: "page", record: { parcel: key, owner, tax: 1 } }));
};

async function* pieces(bytes: number): AsyncGenerator<Uint8Array> {
  const piece = randomBytes(1024 * 1024);
  for (let left = bytes; left > 0; left -= piece.length)
    yield piece.subarray(0, Math.min(left, piece.length));
}
