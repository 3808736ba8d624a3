import { hostname } from "node:os";
import { extname } from "node:path";
import type { StorageLocation } from "../ports/storage.ts";
import {
  DEFAULT_MEMORY_MB,
  type FromWorker,
  type ProcessEnd,
  WorkerProcess,
} from "../worker/worker-process.ts";
import type { KeptByItem, Step, Watcher } from "./watch-collector.ts";

export interface TrialProcessOptions {
  readonly location: StorageLocation;
  readonly job: string;
  /** `onEnd` is not needed: the result is returned. */
  readonly watcher: Omit<Watcher, "onEnd">;
  /** What the scraper's own code prints. */
  readonly onOutput?: (text: string) => void;
  /** How long its event loop may block; shorter than in `sluice run`, because a person is waiting. */
  readonly stallMs?: number;
  readonly signal: AbortSignal;
}

export interface TrialProcessEnd {
  /** Name of the worker that holds its leases. */
  readonly worker: string;
  /** Undefined if the item's outcome is unknown. */
  readonly kept?: KeptByItem;
  /** How the process died, if it did. */
  readonly death?: Pick<ProcessEnd, "blame" | "detail">;
  /** The ledger, the archive or Sluice itself failed. */
  readonly error?: Error;
}

const LOOK_MS = 250;
const STALL_MS = 10_000;
/** Time for an interrupted item to settle. */
const GRACE_MS = 1000;

/**
 * Runs a job's only item in a separate process. If the scraper's code loops, exits or throws in a timer, the result says so, and one interrupt
 * ends it.
 */
export const runTrialProcess = async (options: TrialProcessOptions): Promise<TrialProcessEnd> => {
  const { location, job, watcher, onOutput, stallMs = STALL_MS, signal } = options;
  let kept: KeptByItem | undefined;
  let crash: string | undefined;
  let error: Error | undefined;
  const hear = (message: FromTrial): void => {
    switch (message.type) {
      case "wait":
        return watcher.onWait(new URL(message.url));
      case "step":
        return watcher.onStep(message.step);
      case "kept":
        return void (kept = message.kept);
      case "crashed":
        return void (crash = message.detail);
      case "failed":
        return void (error = errorOf(message));
      case "beat":
      case "ended":
        return undefined;
      default:
        return message satisfies never;
    }
  };
  const child = new WorkerProcess({
    script: new URL(`../programs/trial-main${extname(import.meta.filename)}`, import.meta.url),
    maxMemoryMb: DEFAULT_MEMORY_MB,
    stallMs,
    onMessage: hear,
    onOutput: (text) => onOutput?.(text),
  });
  const worker = `${hostname()}-${child.child.pid}-worker`;
  using _watch = watchOver(child, signal);
  child.start({ type: "start", name: worker, location, jobs: [job], isAlone: false, logLevel: "warn" });
  const end = await child.ended;
  return {
    worker,
    ...(kept && { kept }),
    ...(error && { error }),
    ...(!end.isOrderly && { death: crash === undefined ? end : { blame: "scraper", detail: crash } }),
  };
};

const errorOf = ({ name, code, message }: Extract<FromTrial, { type: "failed" }>): Error => {
  const error = new Error(message);
  error.name = name;
  return Object.assign(error, { code });
};

/** Watches its event loop and memory, and ends it when the signal is aborted. */
const watchOver = (child: WorkerProcess, signal: AbortSignal): Disposable => {
  let lookedAt = performance.now();
  const looker = setInterval(() => {
    const now = performance.now();
    const sleptMs = Math.max(0, now - lookedAt - 2 * LOOK_MS);
    lookedAt = now;
    child.look(sleptMs);
  }, LOOK_MS);
  let killer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.stop();
    killer = setTimeout(() => child.kill(), GRACE_MS);
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return {
    [Symbol.dispose]() {
      clearInterval(looker);
      clearTimeout(killer);
      signal.removeEventListener("abort", stop);
    },
  };
};

/** Messages of a trial process, besides those of every worker process. */
export type FromTrial =
  | FromWorker
  | { readonly type: "wait"; readonly url: string }
  | { readonly type: "step"; readonly step: Step }
  | { readonly type: "kept"; readonly kept: KeptByItem }
  /** The scraper's code threw in a timer or in a promise that is not awaited. */
  | { readonly type: "crashed"; readonly detail: string };
