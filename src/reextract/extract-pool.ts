import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { isStalled, threadCpuMs } from "../domain/stall.ts";
import type { JobSpec } from "../domain/job.ts";
import type { StorageLocation } from "../ports/storage.ts";
import type { Chunk, ChunkEnd } from "./extract-chunk.ts";
import { ReextractError } from "../archive/extractions.ts";

/** What a thread is started with. */
export interface ThreadTask {
  readonly location: StorageLocation;
  readonly spec: Pick<JobSpec, "id" | "scraper" | "source" | "scrapers" | "extracts">;
  readonly instead?: string;
  /** Use the scraper versions that the job is pinned to, instead of the current files. */
  readonly isAmending?: boolean;
  readonly most: number;
  /** Three numbers: items started in total; order number of the last one; its position in the order plus one, 0 between orders. */
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

interface PoolOptions {
  readonly threads: number;
  readonly task: Omit<ThreadTask, "beat">;
  /** The scrapers' versions, in their order: a thread that finds another does not begin. */
  readonly versions: readonly string[];
  /** How long one item may take; 10 s unless told. */
  readonly itemMs?: number;
  /** What scrapers print. */
  readonly onOutput?: (text: string) => void;
}

/** One item may be bad. When this many have ended their thread, it is the scraper. */
const MOST_ENDED = 10;
const ITEM_MS = 10_000;

/** Orders in a thread's hands: while this one is busy listing items, it must not run dry. */
const ORDERS_A_THREAD = 3;

interface Order {
  readonly number: number;
  readonly chunk: Chunk;
  readonly resolve: (end: ChunkEnd) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly beat: Int32Array;
  isReady: boolean;
  readonly orders: Map<number, Order>;
  /** Items begun when it was last looked at, and how often in a row it was that many. */
  begun: number;
  looks: number;
  /** Its processor time at the first of these looks. */
  ranBefore: Promise<number>;
  /** Why it was ended, or what it died of. */
  cause: string | undefined;
}

/**
 * Threads that extract chunks. One that makes no progress on an item is ended and replaced, and so is one that dies: its chunk is done
 * again without that item, which is then reported as failed.
 */
export class ExtractPool implements AsyncDisposable {
  readonly #options: PoolOptions;
  readonly #itemMs: number;
  readonly #lookEveryMs: number;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Order[] = [];
  readonly #watch: NodeJS.Timeout;
  #count = 0;
  #ended = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#itemMs = options.itemMs ?? ITEM_MS;
    this.#lookEveryMs = Math.min(1_000, this.#itemMs / 4);
    for (let n = 0; n < options.threads; n++) this.#start();
    this.#watch = setInterval(() => this.#look(), this.#lookEveryMs);
    this.#watch.unref();
  }

  /** The caller sees to it that not too many are waiting. */
  run(chunk: Chunk): Promise<ChunkEnd> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure.error);
      this.#waiting.push({ number: this.#count++, chunk, resolve, reject });
      this.#handOut();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#watch);
    this.#fail(new ReextractError("interrupted", "the extraction was stopped"));
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #start(): void {
    const beat = new SharedArrayBuffer(12);
    const worker = new Worker(
      new URL(`../programs/extract-thread${extname(import.meta.filename)}`, import.meta.url),
      {
        workerData: { ...this.#options.task, beat } satisfies ThreadTask,
        execArgv: [], // what the program was started with (`--eval`, `--import`, …) is not meant for this thread
        // Its garbage is page after page: collected often, or each thread grows by a hundred megabytes.
        resourceLimits: { maxYoungGenerationSizeMb: 16 },
        stdout: true,
        stderr: true,
      },
    );
    const thread: Thread = {
      worker,
      beat: new Int32Array(beat),
      isReady: false,
      orders: new Map(),
      begun: 0,
      looks: 0,
      ranBefore: Promise.resolve(0),
      cause: undefined,
    };
    this.#threads.add(thread);
    for (const stream of [worker.stdout, worker.stderr])
      stream.on("data", (text: Buffer) => this.#options.onOutput?.(text.toString().trimEnd()));
    worker.on("message", (reply: ThreadReply) => this.#hear(thread, reply));
    worker.on("error", (error) => (thread.cause ??= `it ended its thread: ${(error as Error).message}`));
    worker.on("exit", () => this.#bury(thread));
  }

  #hear(thread: Thread, reply: ThreadReply): void {
    if ("error" in reply) {
      const { message, ...facts } = reply.error;
      return this.#fail(Object.assign(new Error(message), facts));
    }
    if ("ready" in reply) {
      if (reply.ready.join() !== this.#options.versions.join()) return this.#fail(changedMeanwhile());
      thread.isReady = true;
    } else {
      thread.orders.get(reply.number)?.resolve(reply.end);
      thread.orders.delete(reply.number);
    }
    this.#handOut();
  }

  #handOut(): void {
    // One each before anybody gets a second: the last chunks of a job are spread over all threads.
    for (let depth = 0; depth < ORDERS_A_THREAD; depth++)
      for (const { worker, isReady, orders, cause } of this.#threads) {
        if (!isReady || orders.size > depth || cause !== undefined) continue;
        const order = this.#waiting.shift();
        if (!order) return;
        orders.set(order.number, order);
        // Copied, not handed over: should the thread die, the chunk is needed again.
        worker.postMessage({ number: order.number, chunk: order.chunk } satisfies ThreadOrder, []);
      }
  }

  /** Time is counted in looks: a machine that slept, or was too busy to look, has not seen the item stand still all that while. */
  #look(): void {
    for (const thread of this.#threads) {
      const begun = Atomics.load(thread.beat, 0);
      if (begun !== thread.begun || Atomics.load(thread.beat, 2) === 0) {
        thread.begun = begun;
        thread.looks = 0;
        thread.ranBefore = threadCpuMs(thread.worker);
      } else if (++thread.looks * this.#lookEveryMs >= this.#itemMs) void this.#endIfStill(thread);
    }
  }

  async #endIfStill(thread: Thread): Promise<void> {
    const { begun, looks } = thread;
    const ranMs = (await threadCpuMs(thread.worker)) - (await thread.ranBefore);
    const isOn = thread.begun !== begun || thread.cause !== undefined;
    if (isOn || !isStalled(looks * this.#lookEveryMs, ranMs, this.#itemMs)) return;
    thread.cause = `extraction did not end within ${this.#itemMs / 1_000} s`;
    void thread.worker.terminate();
  }

  #bury(thread: Thread): void {
    this.#threads.delete(thread);
    const { orders, beat, cause = "it ended its thread" } = thread;
    const culprit = orders.get(Atomics.load(beat, 1));
    const at = Atomics.load(beat, 2) - 1;
    const item = culprit?.chunk.items[at];
    if (culprit && item) {
      const ended = new Map([...culprit.chunk.ended, [at, cause]]);
      orders.set(culprit.number, { ...culprit, chunk: { ...culprit.chunk, ended } });
    }
    this.#waiting.unshift(...orders.values());
    if (!thread.isReady) return this.#fail(new Error(`a thread could not start: ${cause}`));
    if (orders.size > 0 && !item)
      return this.#fail(new Error(`a thread died while it read stored pages: ${cause}`));
    if (item && ++this.#ended > MOST_ENDED) return this.#fail(hangs(this.#ended, item.key, cause));
    if (this.#failure) return;
    this.#start();
    this.#handOut();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    for (const thread of this.#threads) {
      for (const { reject } of thread.orders.values()) reject(this.#failure.error);
      void thread.worker.terminate();
    }
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure.error);
  }
}

const changedMeanwhile = (): ReextractError =>
  new ReextractError(
    "changed-meanwhile",
    "the scraper's file was changed while it was extracting, so that half of the records would be of another version. Run the command again.",
  );

const hangs = (count: number, key: string, cause: string): ReextractError =>
  new ReextractError(
    "scraper-hangs",
    `the scraper's extract did not come back from ${count} items, at last from ${key}: ${cause}. ` +
      "Correct it and run the command again; the records from before are untouched.",
  );
