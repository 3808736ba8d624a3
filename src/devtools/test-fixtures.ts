import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { isStalled, threadCpuMs } from "../domain/stall.ts";
import type { OrphanCase } from "./orphan-cases.ts";
import type { CaseResult } from "./run-case.ts";

/** What came of one scraper's file: plain data, sent by the thread that ran it. */
export interface ScraperResult {
  readonly file: string;
  /** The scraper's own name; the file's where it could not be loaded. */
  readonly scraper: string;
  readonly cases: readonly CaseResult[];
  /** Fixtures beside it of a scraper that is nowhere there. */
  readonly orphans: readonly OrphanCase[];
  /** Why it could not be tested at all. */
  readonly problem?: string;
  /** Files that were read for it, imports included: what `--watch` looks at. */
  readonly sources: readonly string[];
}

interface TestOptions {
  readonly files: readonly string[];
  /** What scrapers print while they run. */
  readonly onOutput?: (text: string) => void;
  readonly threads?: number;
  /** How long one scraper may take over all of its fixtures. */
  readonly limitMs?: number;
}

const LIMIT_MS = 30_000;
const LOOK_MS = 250;

/**
 * Runs scrapers over their fixtures on all cores, and yields them in the order given. Each time in new threads: a file that was changed is
 * read again, and an endless loop can be ended.
 */
export async function* testFixtures(options: TestOptions): AsyncGenerator<ScraperResult> {
  const { files, threads = availableParallelism() } = options;
  const waiting = files.map((file) => ({ file, ...Promise.withResolvers<ScraperResult>() }));
  const queue = [...waiting];
  const crew = Array.from({ length: Math.min(threads, files.length) }, async () => {
    let thread: TestThread | undefined;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      thread ??= new TestThread(options);
      const result = await thread.run(next.file);
      next.resolve(result);
      if (thread.isDead) thread = undefined;
    }
    await thread?.end();
  });
  for (const { promise } of waiting) yield await promise;
  await Promise.all(crew);
}

class TestThread {
  readonly #worker: Worker;
  readonly #limitMs: number;
  isDead = false;

  constructor({ onOutput, limitMs = LIMIT_MS }: TestOptions) {
    this.#limitMs = limitMs;
    this.#worker = new Worker(new URL(`./fixture-thread${extname(import.meta.filename)}`, import.meta.url), {
      execArgv: [], // what the program was started with (`--eval`, `--import`, …) is not meant for this thread
      stdout: true,
      stderr: true,
    });
    for (const stream of [this.#worker.stdout, this.#worker.stderr])
      stream.on("data", (data: Buffer) => onOutput?.(data.toString()));
  }

  async run(file: string): Promise<ScraperResult> {
    const { promise, resolve } = Promise.withResolvers<ScraperResult>();
    const give = (problem: string) => {
      this.isDead = true;
      resolve({ file, scraper: file, cases: [], orphans: [], problem, sources: [file] });
    };
    const hear = (result: ScraperResult) => resolve(result);
    const fail = (error: Error) => give(`its code ended the test: ${error.message}`);
    const left = (code: number) => give(`its code ended the test with exit code ${code}`);
    const startedAt = performance.now();
    const ranBefore = threadCpuMs(this.#worker);
    const look = async () => {
      const ranMs = (await threadCpuMs(this.#worker)) - (await ranBefore);
      if (this.isDead || !isStalled(performance.now() - startedAt, ranMs, this.#limitMs)) return;
      give(
        `its fixtures took longer than ${this.#limitMs / 1000} s. Look for an endless loop, or for a regular expression that goes back and forth.`,
      );
      void this.#worker.terminate();
    };
    const timer = setInterval(() => void look(), LOOK_MS);
    this.#worker.on("message", hear).on("error", fail).on("exit", left);
    this.#worker.postMessage(file, []);
    try {
      return await promise;
    } finally {
      clearInterval(timer);
      this.#worker.off("message", hear).off("error", fail).off("exit", left);
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
