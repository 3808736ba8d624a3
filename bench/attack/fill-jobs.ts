import { randomBytes } from "node:crypto";
import { storeFile } from "../../src/archive/stored-file.ts";
import type { House } from "../../src/compose.ts";
import { collectJob } from "../../src/controller/collected-job.suite.ts";
import { QUEUE_LANE, queueItems, queueJob } from "../queue-job.ts";

export interface GroundSize {
  /** Items of the attacker's finished job. */
  readonly items: number;
  /** Bytes of the file that one of its items has kept. */
  readonly fileBytes: number;
}

export const BIG_JOB = "big";
export const FILE_JOB = "file";
/** One whose objects an attack damages. */
export const SMALL_JOB = "small";
export const SMALL_ITEMS = 50;

/** Jobs of the attacker that are over: one of many items, one of a large file, and a small one. */
export const fillJobs = async (house: House, { items, fileBytes }: GroundSize): Promise<void> => {
  await fillJob(house, BIG_JOB, items);
  await fillJob(house, SMALL_JOB, SMALL_ITEMS);
  const { ledger, blobs } = house;
  await ledger.createJob({ ...queueJob(FILE_JOB), client: "attacker" });
  await ledger.addItems(FILE_JOB, queueItems(0, 1), []);
  await ledger.sealJob(FILE_JOB);
  const claim = { worker: "filler", room: 1, inHand: new Map(), jobs: [FILE_JOB] };
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
  // Nothing of these two is left in a worker's hands.
  for (const worker of ["filler", "tester"]) await ledger.reap({ worker });
};

const fillJob = async (house: House, job: string, items: number): Promise<void> => {
  const { ledger } = house;
  await ledger.createJob({ ...queueJob(job), client: "attacker" });
  for (let from = 0; from < items; from += 10_000)
    await ledger.addItems(job, queueItems(from, Math.min(items, from + 10_000)), []);
  await ledger.sealJob(job);
  const owner = "somebody of a long name ".repeat(10);
  await collectJob(house, job, ({ key }) => ({ body: "page", record: { parcel: key, owner, tax: 1 } }));
};

async function* pieces(bytes: number): AsyncGenerator<Uint8Array> {
  const piece = randomBytes(1024 * 1024);
  for (let left = bytes; left > 0; left -= piece.length)
    yield piece.subarray(0, Math.min(left, piece.length));
}
