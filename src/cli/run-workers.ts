import { readFileSync, statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { takenKinds } from "../compose.ts";
import type { Storage } from "../ports/storage.ts";
import type { CollectorKind } from "../domain/job-version.ts";
import type { Log, LogLevel } from "../worker/log.ts";
import { Scaler } from "../worker/scaler.ts";
import { Supervisor } from "../worker/supervisor.ts";
import { UsageError } from "./exit.ts";
import { type DataOptions, given } from "./options.ts";
import { print } from "./terminal.ts";
import { keyFor, serverName } from "./service/stored-keys.ts";
import { workerScript } from "./worker-script.ts";

/** Options of `serve` and `worker`. */
export interface ProcessOptions extends DataOptions {
  readonly concurrency?: number;
  /** In milliseconds. */
  readonly drain: number;
  readonly logLevel: LogLevel;
  readonly quiet: boolean;
}

export const DRAINING = "Stopping: finishing items in flight. Interrupt again to stop at once.";

export const say = ({ json, quiet }: ProcessOptions, type: string, text: string): void => {
  if (json) print([JSON.stringify({ type, text })]);
  else if (!quiet) process.stderr.write(`${text}\n`);
};

/** How many worker processes: a fixed number, or as many as are useful. */
export type ProcessRange = Readonly<Record<"min" | "max", number>>;

interface RunWorkersOptions {
  readonly storage: Storage;
  readonly processes: ProcessRange;
  /** How long the caller waits after `signal` before it aborts `killed`. */
  readonly drain: number;
  readonly lanes?: readonly string[];
  readonly kinds?: readonly CollectorKind[];
  /** Items in flight per process. */
  readonly concurrency?: number;
  readonly allowTargets?: readonly string[];
  readonly logLevel: LogLevel;
  readonly log: Log;
  /** Gets the output of the workers. */
  readonly onOutput: (line: string) => void;
  /** When aborted: finish items in flight, claim no more. */
  readonly signal: AbortSignal;
  /** When aborted: stop at once. */
  readonly killed: AbortSignal;
}

const LOOK_MS = 250;

/**
 * Runs worker processes for all jobs until the signal; resolves when no items are in flight. Throws when the workers cannot work: the ledger or the
 * archive fails, or they end before they have started.
 */
export const runWorkers = async (options: RunWorkersOptions): Promise<void> => {
  const { storage, processes, lanes, kinds, concurrency, allowTargets } = options;
  const { logLevel, log, onOutput, signal, killed } = options;
  const { min, max } = processes;
  const supervisor = new Supervisor({ script: workerScript, processes: min, onOutput });
  const kill = () => void supervisor.kill();
  killed.addEventListener("abort", kill, { once: true });
  try {
    supervisor.start({
      ledger: storage.ledger,
      location: storage.location,
      logLevel,
      log,
      processes: max,
      ...given({ lanes, kinds, capacity: concurrency, allowTargets }),
    });
    let failure: Error | undefined;
    if (min < max)
      void followScale(supervisor, options).catch((error: unknown) => void (failure = error as Error));
    const isFailed = (): boolean => (failure ?? supervisor.failure) !== undefined;
    while (!signal.aborted && !killed.aborted && !isFailed())
      await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
    await supervisor.stop(patienceMs(options.drain));
    failure ??= supervisor.failure;
    if (failure && !killed.aborted) throw failure;
  } finally {
    killed.removeEventListener("abort", kill);
    await supervisor.kill();
  }
};

const SCALE_MS = 1000;

/** Starts and stops processes as the backlog asks for them. */
const followScale = async (supervisor: Supervisor, options: RunWorkersOptions): Promise<void> => {
  const { storage, processes, lanes, log, signal, killed } = options;
  const { kinds } = await takenKinds(options.kinds, log);
  const scaler = new Scaler({ ledger: storage.ledger, ...processes, ...given({ lanes, kinds }) });
  let before = processes.min;
  while (!signal.aborted && !killed.aborted) {
    const useful = await scaler.look();
    if (signal.aborted) return;
    if (useful !== before) log.info("workers scaled", { from: before, to: useful });
    before = useful;
    supervisor.scaleTo(useful);
    await delay(SCALE_MS, undefined, { signal }).catch(() => undefined);
  }
};

/** The rest of the time is for storing pages and settling. */
const patienceMs = (drain: number): number => drain - Math.min(10_000, drain * 0.4);

/** The key for the server that a worker works for: from the file, else `SLUICE_KEY`, else the one stored by `sluice login`. */
export const controllerAt = (url: string, keyFile: string | undefined): { readonly key?: string } => {
  serverName(url); // throws if it is not a URL
  const key = keyFile === undefined ? keyFor(url) : keyIn(keyFile);
  return given({ key });
};

const keyIn = (file: string): string => {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new UsageError(
      `--key-file ${file}: cannot read this file (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
  if (/^\S+$/.test(text)) return text;
  throw new UsageError(
    `--key-file ${file}: expected one line with a key, as printed by \`sluice clients key\`.`,
  );
};

/** Warns about a data folder that other users can read. Sluice creates folders for its own user only, but leaves existing ones unchanged. */
export const wideRights = (data: string): string | undefined => {
  const mode = statSync(data).mode & 0o777;
  // Windows reports the same mode for all folders.
  if (process.platform === "win32" || (mode & 0o077) === 0) return undefined;
  return `${data}: other users of this machine can read the data folder (mode ${mode.toString(8).padStart(4, "0")}), which holds pages, webhook secrets and key hashes. To prevent it, run \`chmod -R go= ${data}\`.`;
};
