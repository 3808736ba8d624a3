import { existsSync, type FSWatcher, watch } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { isStalled, threadCpuMs } from "../domain/stall.ts";
import type { CaseResult, OrphanCase } from "./run-case.ts";

/** The result of one scraper file: plain data, sent by the thread that ran it. */
export interface ScraperResult {
  readonly file: string;
  /** The scraper's name, or the file's name if it could not be loaded. */
  readonly scraper: string;
  readonly cases: readonly CaseResult[];
  /** Fixtures in the same folder that belong to no scraper. */
  readonly orphans: readonly OrphanCase[];
  /** Why it could not be tested at all. */
  readonly problem?: string;
  /** Files that it was loaded from, including imports; `--watch` watches them. */
  readonly sources: readonly string[];
}

interface TestOptions {
  readonly files: readonly string[];
  /** What scrapers print while they run. */
  readonly onOutput?: (text: string) => void;
  readonly threads?: number;
  /** Time limit for one scraper over all of its fixtures. */
  readonly limitMs?: number;
}

const LIMIT_MS = 30_000;
const LOOK_MS = 250;

/**
 * Runs scrapers over their fixtures on all cores, and yields results in the given order. Each call uses new threads, so that changed files are
 * read again and an endless loop can be stopped.
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
        `its fixtures took longer than ${this.#limitMs / 1000} s. Look for an endless loop, or a regular expression that backtracks.`,
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

interface SourceWatcher extends Disposable {
  /** Starts to watch; changes are noticed while the scrapers run, too. */
  begin(scrapers: readonly string[]): void;
  /** Adds files to watch: what the scrapers import. */
  add(files: readonly string[]): void;
  /** Resolves with the name of a file that has changed since `begin`, or undefined at the end. */
  changed(): Promise<string | undefined>;
}

/** An editor writes a file in several steps: events within this time are one change. */
const SETTLE_MS = 60;

/** Watches folders, not files, because editors replace files. */
export const watchSources = (signal: AbortSignal): SourceWatcher => {
  const folders = new Map<string, FSWatcher>();
  const files = new Set<string>();
  let change = Promise.withResolvers<string | undefined>();
  let timer: NodeJS.Timeout | undefined;

  const notice = (path: string): void => {
    clearTimeout(timer);
    timer = setTimeout(() => change.resolve(path), SETTLE_MS);
  };
  const look = (folder: string, recursive: boolean, matters: (path: string) => boolean): void => {
    if (folders.has(folder) || !existsSync(folder)) return;
    const watcher = watch(folder, { recursive }, (_event, name) => {
      if (name !== null && matters(join(folder, name))) notice(basename(name));
    });
    // A folder may be deleted meanwhile.
    watcher.on("error", () => {
      watcher.close();
      folders.delete(folder);
    });
    folders.set(folder, watcher);
  };
  const add = (more: readonly string[]): void => {
    for (const file of more) {
      files.add(file);
      look(dirname(file), false, (path) => files.has(path) || basename(path) === "fixtures");
    }
  };
  const onAbort = (): void => change.resolve(undefined);
  signal.addEventListener("abort", onAbort, { once: true });

  return {
    begin(scrapers) {
      change = Promise.withResolvers();
      if (signal.aborted) onAbort();
      add(scrapers);
      for (const file of scrapers) look(join(dirname(file), "fixtures"), true, () => true);
    },
    add,
    changed: () => change.promise,
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      for (const watcher of folders.values()) watcher.close();
    },
  };
};

/** How a scraper does on its fixtures. */
export interface FixtureStatus {
  readonly cases: number;
  readonly passed: number;
  /** Names of the cases with differences. */
  readonly failed: readonly string[];
  /** Why they could not be tested at all. */
  readonly problem?: string;
}

/** Shorter than in `sluice test`: a client is waiting for the answer. */
const STATUS_LIMIT_MS = 10_000;

/** Runs in a separate thread, so that an endless loop in the scraper cannot block this one. */
export const fixtureStatus = async (source: string): Promise<FixtureStatus> => {
  // Built-ins have no file, and so no fixtures.
  if (!source.startsWith("file:")) return { cases: 0, passed: 0, failed: [] };
  const files = [fileURLToPath(source)];
  for await (const { cases, problem } of testFixtures({ files, threads: 1, limitMs: STATUS_LIMIT_MS })) {
    const failed = cases.filter((one) => one.problem !== undefined || one.findings.length > 0);
    return {
      cases: cases.length,
      passed: cases.length - failed.length,
      failed: failed.map(({ name }) => name),
      ...(problem !== undefined && { problem }),
    };
  }
  throw new Error(`${source}: no fixtures were tested`);
};
