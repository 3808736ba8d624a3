import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { ReextractError } from "../archive/extractions.ts";
import type { JobSpec } from "../domain/job.ts";
import { isStalled, threadCpuMs } from "../domain/stall.ts";
import type { Storage } from "../ports/storage.ts";
import type { Chunk, ChunkEnd } from "./extract-chunk.ts";

/** Where a job is stored. Threads open their own blobs from the location. */
export type ExtractStores = Pick<Storage, "ledger" | "blobs" | "location">;

/** The start data of a thread. */
export interface ThreadTask {
  readonly location: Storage["location"];
  readonly spec: Pick<JobSpec, "id" | "scraper" | "source" | "scrapers" | "extracts">;
  /** A scraper file to use instead of the job's own. */
  readonly instead?: string;
  /** The stored version of the job's scraper to use, whatever its file says. */
  readonly version?: string;
  /** Uses the versions that the job is pinned to, not the files as they are now. */
  readonly isAmending?: boolean;
  /** See `AmendTools`. */
  readonly takesAll?: boolean;
  /** Examples kept for each kind of change. */
  readonly most: number;
  /** Three numbers: items started in all; the order number of the last one; its place there plus one, or 0 between orders. */
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
  /** The scrapers' versions, in order. A thread that finds another version does not start. */
  readonly versions: readonly string[];
  /** How long one item may take; 10 s by default. */
  readonly itemMs?: number;
  /** What scrapers print. */
  readonly onOutput?: (text: string) => void;
}

/** A single item may be bad. If this many end their thread, the scraper is at fault. */
const MOST_ENDED = 10;
const ITEM_MS = 10_000;

/** Chunks per thread that are waiting, running or waiting to be written: the bound on memory. */
const CHUNKS_A_THREAD = 6;

/** Orders sent to a thread ahead: it must not run out while the main thread lists items. */
const ORDERS_A_THREAD = 3;

interface Order extends ThreadOrder {
  readonly resolve: (end: ChunkEnd) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly beat: Int32Array;
  isReady: boolean;
  readonly orders: Map<number, Order>;
  /** Items started at the last check, and how many checks in a row saw that number. */
  begun: number;
  looks: number;
  /** Its processor time at the first of these checks. */
  ranBefore: Promise<number>;
  /** Why it was ended, or why it died. */
  cause: string | undefined;
}

/**
 * Threads that extract chunks. A thread that hangs on an item is ended and replaced, as is one that dies: its chunk runs again without that
 * item, which is reported as failed.
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

  /** Runs all chunks. `take` gets the results in the order of the chunks, whichever thread was first. */
  async run(
    chunks: AsyncIterable<Chunk>,
    signal: AbortSignal,
    take: (end: ChunkEnd, chunk: Chunk) => Promise<void>,
  ): Promise<void> {
    const running: { readonly chunk: Chunk; readonly end: Promise<ChunkEnd> }[] = [];
    const takeOne = async (): Promise<void> => {
      const { chunk, end } = running.shift()!;
      await take(await end, chunk);
    };
    const stop = (): void => void this[Symbol.asyncDispose]();
    signal.addEventListener("abort", stop, { once: true });
    try {
      for await (const chunk of chunks) {
        const end = this.#order(chunk);
        end.catch(() => undefined); // `takeOne` reports it
        running.push({ chunk, end });
        if (running.length >= this.#options.threads * CHUNKS_A_THREAD) await takeOne();
      }
      while (running.length > 0) await takeOne();
    } finally {
      signal.removeEventListener("abort", stop);
    }
    if (signal.aborted) throw interrupted();
  }

  #order(chunk: Chunk): Promise<ChunkEnd> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure.error);
      this.#waiting.push({ number: this.#count++, chunk, resolve, reject });
      this.#handOut();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#watch);
    this.#fail(interrupted());
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #start(): void {
    const beat = new SharedArrayBuffer(12);
    const worker = new Worker(
      new URL(`../programs/extract-thread${extname(import.meta.filename)}`, import.meta.url),
      {
        workerData: { ...this.#options.task, beat } satisfies ThreadTask,
        execArgv: [], // options of the main program (`--eval`, `--import`, …) are not for this thread
        // Pages become garbage quickly: without frequent collection each thread grows by a hundred megabytes.
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
    worker.on("message", (reply: ThreadReply) => this.#receive(thread, reply));
    worker.on("error", (error) => (thread.cause ??= `the thread died: ${(error as Error).message}`));
    worker.on("exit", () => this.#replace(thread));
  }

  #receive(thread: Thread, reply: ThreadReply): void {
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
    // One for each thread before a second for any: the last chunks of a job are spread over all threads.
    for (let depth = 0; depth < ORDERS_A_THREAD; depth++)
      for (const { worker, isReady, orders, cause } of this.#threads) {
        if (!isReady || orders.size > depth || cause !== undefined) continue;
        const order = this.#waiting.shift();
        if (!order) return;
        orders.set(order.number, order);
        // Copied, not transferred: if the thread dies, the chunk is needed again.
        worker.postMessage({ number: order.number, chunk: order.chunk } satisfies ThreadOrder, []);
      }
  }

  /** Time is counted in checks, so that an item does not seem to hang when the machine is suspended or busy. */
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

  #replace(thread: Thread): void {
    this.#threads.delete(thread);
    const { orders, beat, cause = "the thread died" } = thread;
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

const interrupted = (): ReextractError => new ReextractError("interrupted", "the extraction was stopped");

const changedMeanwhile = (): ReextractError =>
  new ReextractError(
    "changed-meanwhile",
    "the scraper's file changed during the extraction, which would mix records of two versions. Run the command again.",
  );

const hangs = (count: number, key: string, cause: string): ReextractError =>
  new ReextractError(
    "scraper-hangs",
    `the scraper's extract failed to return for ${count} items, most recently ${key}: ${cause}. ` +
      "Correct it and run the command again; the previous records are unchanged.",
  );
