import type { Registry } from "../ports/registry.ts";
import { wait as realWait, type Wait } from "./wait.ts";

/** What every background task is handed. */
export interface TaskTools {
  readonly registry: Registry;
  /** Names this controller among those that share the ledger. */
  readonly holder: string;
  /** Hears what went wrong in a round; the next one tries again. */
  readonly report: (task: string, error: unknown) => void;
  readonly now?: () => number;
  readonly wait?: Wait;
}

interface Duty {
  readonly name: string;
  readonly everyMs: number;
  /** One round. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** How long after the death of its holder a task stands still, beside the time between two rounds. */
const GRACE_MS = 10_000;
const LONGEST_BACKOFF_MS = 60_000;

/**
 * Runs a task round by round, in one of the controllers: the one that holds it, until it stops or is not heard of any more. A round that takes
 * long is held on to; one that was lost all the same, because its process stood still, is stopped.
 */
export const runTask = async (tools: TaskTools, task: Duty, signal: AbortSignal): Promise<void> => {
  const { registry, holder, report, wait = realWait } = tools;
  const hold = async (): Promise<boolean> =>
    await registry.holdTask(task.name, holder, task.everyMs + GRACE_MS);
  let failures = 0;
  while (!signal.aborted) {
    try {
      if (await hold()) await holdOn(hold, (lost) => task.run(AbortSignal.any([signal, lost])));
      failures = 0;
    } catch (error) {
      failures++;
      report(task.name, error);
    }
    await wait(failures === 0 ? task.everyMs : backoffMs(task.everyMs, failures), signal);
  }
  await registry.dropTask(task.name, holder).catch((error: unknown) => report(task.name, error));
};

/** The first time at the next round, then later and later: what fails every second fills the log, and helps nobody. */
const backoffMs = (everyMs: number, failures: number): number =>
  Math.max(everyMs, Math.min(everyMs * 2 ** Math.min(failures - 1, 20), LONGEST_BACKOFF_MS));

const holdOn = async (
  hold: () => Promise<boolean>,
  run: (lost: AbortSignal) => Promise<void>,
): Promise<void> => {
  const lost = new AbortController();
  const again = async (): Promise<void> => {
    // A hold that could not be asked for may still be there: the next one tells.
    if (!(await hold().catch(() => true))) lost.abort();
  };
  const timer = setInterval(() => void again(), GRACE_MS / 3);
  try {
    await run(lost.signal);
  } finally {
    clearInterval(timer);
  }
};
