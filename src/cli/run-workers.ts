import { readFileSync, statSync } from "node:fs";
import { extname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Storage } from "../compose.ts";
import type { CollectorKind } from "../domain/job-version.ts";
import type { ControllerPlace } from "../worker/controller-place.ts";
import type { Log, LogLevel } from "../worker/log.ts";
import { Supervisor } from "../worker/supervisor.ts";
import { UsageError } from "./exit.ts";
import { keyFor, serverName } from "./service/stored-keys.ts";

/** Beside this file; Node runs it as a separate program. */
export const workerScript = new URL(`./worker-main${extname(import.meta.filename)}`, import.meta.url);

interface RunWorkersOptions {
  readonly storage: Storage;
  readonly processes: number;
  readonly lanes?: readonly string[];
  readonly kinds?: readonly CollectorKind[];
  /** Items in hand at once, of each process. */
  readonly concurrency?: number;
  readonly allowTargets?: readonly string[];
  readonly logLevel: LogLevel;
  readonly log: Log;
  /** What a worker prints. */
  readonly say: (line: string) => void;
  /** Aborted: finish what is in hand, take nothing more. */
  readonly signal: AbortSignal;
  /** Aborted: end at once. */
  readonly killed: AbortSignal;
}

const LOOK_MS = 250;

/**
 * Worker processes for the items of all jobs, until the signal; resolves when they have nothing in hand any more. Throws when they cannot
 * work: the ledger or the archive is out of order, or they end before they have begun.
 */
export const runWorkers = async (options: RunWorkersOptions): Promise<void> => {
  const { storage, processes, lanes, kinds, concurrency, allowTargets } = options;
  const { logLevel, log, say, signal, killed } = options;
  const supervisor = new Supervisor({ script: workerScript, processes, onOutput: say });
  const kill = () => void supervisor.kill();
  killed.addEventListener("abort", kill, { once: true });
  try {
    supervisor.start({
      ledger: storage.ledger,
      data: storage.data,
      ...(storage.controller && { controller: storage.controller }),
      logLevel,
      log,
      ...(lanes && { lanes }),
      ...(kinds && { kinds }),
      ...(concurrency !== undefined && { capacity: concurrency }),
      ...(allowTargets && { allowTargets }),
    });
    while (!signal.aborted && !killed.aborted && !supervisor.failure)
      await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
    await supervisor.stop();
    if (supervisor.failure && !killed.aborted) throw supervisor.failure;
  } finally {
    killed.removeEventListener("abort", kill);
    await supervisor.kill();
  }
};

/** The controller that a worker works for, with its key: of the file, else `SLUICE_KEY`, else the one that `sluice login` keeps. */
export const controllerAt = (url: string, keyFile: string | undefined): ControllerPlace => {
  serverName(url); // refuses what is no address
  const key = keyFile === undefined ? keyFor(url) : keyIn(keyFile);
  return { url, ...(key !== undefined && { key }) };
};

const keyIn = (file: string): string => {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new UsageError(`--key-file ${file}: cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (/^\S+$/.test(text)) return text;
  throw new UsageError(
    `--key-file ${file}: expected one line with a key, as \`sluice clients key\` prints it.`,
  );
};

/**
 * What Sluice makes is for its own user alone. A folder that was there before keeps its rights, as a group may have been given them on purpose:
 * its owner is told.
 */
export const wideRights = (data: string): string | undefined => {
  const mode = statSync(data).mode & 0o777;
  // Windows has other rights, and tells the same mode for all folders.
  if (process.platform === "win32" || (mode & 0o077) === 0) return undefined;
  return `${data}: other users of this machine may look into the data folder (mode ${mode.toString(8).padStart(4, "0")}), which holds pages, webhook secrets and hashes of keys. Take that back with \`chmod -R go= ${data}\`.`;
};
