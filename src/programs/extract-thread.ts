import { parentPort, workerData } from "node:worker_threads";
import { BodyError } from "../collectors/http/decode-body.ts";
import { storedPage } from "../collectors/http/page.ts";
import { laneOf, openBlobs } from "../compose.ts";
import type { Blobs } from "../ports/blobs.ts";
import { type ChunkTools, extractChunk } from "../reextract/extract-chunk.ts";
import type { ThreadOrder, ThreadReply, ThreadTask } from "../reextract/extract-pool.ts";
import { loadCurrentScrapers } from "../reextract/extraction-scrapers.ts";
import { jobScrapers, loadPinned } from "../scrapers/load-pinned.ts";

/** Started by `ExtractPool`: extracts chunks of a job's stored pages. */
const task = workerData as ThreadTask;
const beat = new Int32Array(task.beat);
const reply = (message: ThreadReply, transfer: ArrayBuffer[] = []): void =>
  parentPort!.postMessage(message, transfer);

/** An error loses its class and code on the way to another thread. */
const fail = (error: unknown): void => {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  reply({ error: { name, message, ...(code !== undefined && { code }) } });
};

const load = async (blobs: Blobs): Promise<Pick<ChunkTools, "scrapers" | "amend">> => {
  if (!task.isAmending) return { scrapers: (await loadCurrentScrapers(task.spec, task, blobs)).current };
  const scrapers = jobScrapers(await loadPinned(task.spec, blobs), task.spec.scrapers);
  return { scrapers, amend: { scrapers, laneOf, takesAll: task.takesAll ?? false } };
};

const pageOf: ChunkTools["pageOf"] = (name, capture) => {
  try {
    return storedPage(name, capture);
  } catch (error) {
    if (error instanceof BodyError) return { failure: { kind: error.kind, detail: error.message } };
    throw error;
  }
};

const start = async (): Promise<void> => {
  const blobs = await openBlobs(task.location);
  const { scrapers, ...amending } = await load(blobs);
  const tools = { blobs, job: task.spec.id, scrapers, most: task.most, pageOf, ...amending };
  // The pages of the next order are read while the previous one is processed.
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
