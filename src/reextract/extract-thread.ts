import { parentPort, workerData } from "node:worker_threads";
import { laneOf, openBlobs, type StorageLocation } from "../compose.ts";
import type { JobSpec } from "../domain/job.ts";
import { jobScrapers, loadPinned } from "../scrapers/load-pinned.ts";
import { type Chunk, type ChunkEnd, type ChunkTools, extractChunk } from "./extract-chunk.ts";
import { loadCurrentScrapers } from "./extraction-scrapers.ts";

/** What a thread is started with. */
export interface ThreadTask {
  readonly location: StorageLocation;
  readonly spec: Pick<JobSpec, "id" | "scraper" | "source" | "scrapers" | "extracts">;
  readonly instead?: string;
  /** The job's scrapers in the versions that it is pinned to; else as their files are now. */
  readonly isAmending?: boolean;
  readonly most: number;
  /** Three numbers: items begun in all; of the one begun last, the order's number and its place there, plus one; 0 between orders. */
  readonly beat: SharedArrayBuffer;
}

export interface ThreadOrder {
  readonly number: number;
  readonly chunk: Chunk;
}

export type ThreadReply =
  | { readonly ready: readonly string[] }
  | { readonly number: number; readonly end: ChunkEnd }
  | { readonly error: { readonly name: string; readonly message: string; readonly code?: string } };

const task = workerData as ThreadTask;
const beat = new Int32Array(task.beat);
const reply = (message: ThreadReply, transfer: ArrayBuffer[] = []): void =>
  parentPort!.postMessage(message, transfer);

/** An error loses its class and its code on the way to another thread. */
const fail = (error: unknown): void => {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  reply({ error: { name, message, ...(code !== undefined && { code }) } });
};

const load = async (): Promise<Pick<ChunkTools, "scrapers" | "amend">> => {
  if (!task.isAmending) return { scrapers: (await loadCurrentScrapers(task.spec, task.instead)).current };
  const scrapers = jobScrapers(await loadPinned(task.spec), task.spec.scrapers);
  return { scrapers, amend: { scrapers, laneOf } };
};

const start = async (): Promise<void> => {
  const { scrapers, ...amending } = await load();
  const blobs = await openBlobs(task.location);
  const tools = { blobs, job: task.spec.id, scrapers, most: task.most, ...amending };
  // The pages of the next order are read while those of the one before are worked through.
  parentPort!.on("message", ({ number, chunk }: ThreadOrder) => {
    const onItem = (at: number): void => {
      Atomics.add(beat, 0, 1);
      Atomics.store(beat, 1, number);
      Atomics.store(beat, 2, at + 1);
    };
    const onEnd = (): void => void Atomics.store(beat, 2, 0);
    extractChunk({ ...tools, onItem, onEnd }, chunk).then(
      (end) => reply({ number, end }, [end.lines.buffer]),
      fail,
    );
  });
  reply({ ready: scrapers.map(({ ready }) => ready.version) });
};

await start().catch(fail);
