import { setTimeout as delay } from "node:timers/promises";
import type { DueAlerts } from "../domain/alert-rules.ts";
import type { Removal } from "../domain/removal.ts";
import type { LedgerEvent } from "../ports/ledger.ts";
import type { Delivery, DeliveryEnd, Registry } from "../ports/registry.ts";
import type { ControllerLog } from "./controller-context.ts";

/** What every background task gets. */
export interface TaskTools {
  readonly registry: Registry;
  /** Names this controller among those that share the ledger. */
  readonly holder: string;
  /** Called with the error of a round; the next round tries again. */
  readonly report: (task: string, error: unknown) => void;
  readonly now?: () => number;
  readonly wait?: Wait;
}

interface Task {
  readonly name: string;
  readonly everyMs: number;
  /** One round. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** How long a task pauses after its holder died, in addition to the time between two rounds. */
const GRACE_MS = 10_000;
const LONGEST_BACKOFF_MS = 60_000;

/**
 * Runs a task round by round in one of the controllers: the one that holds it, until it stops or no longer responds. The hold is
 * renewed during a long round. If it is lost anyway, because the process was stalled, the round is stopped.
 */
export const runTask = async (tools: TaskTools, task: Task, signal: AbortSignal): Promise<void> => {
  const { registry, holder, report, wait: waitFor = wait } = tools;
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
    await waitFor(failures === 0 ? task.everyMs : backoffMs(task.everyMs, failures), signal);
  }
  await registry.dropTask(task.name, holder).catch((error: unknown) => report(task.name, error));
};

/** The first retry comes with the next round, then later and later, so that a lasting failure does not fill the log. */
const backoffMs = (everyMs: number, failures: number): number =>
  Math.max(everyMs, Math.min(everyMs * 2 ** Math.min(failures - 1, 20), LONGEST_BACKOFF_MS));

const holdOn = async (
  hold: () => Promise<boolean>,
  run: (lost: AbortSignal) => Promise<void>,
): Promise<void> => {
  const lost = new AbortController();
  const again = async (): Promise<void> => {
    // If the call fails, the hold may still exist: the next call finds out.
    if (!(await hold().catch(() => true))) lost.abort();
  };
  const timer = setInterval(() => void again(), GRACE_MS / 3);
  try {
    await run(lost.signal);
  } finally {
    clearInterval(timer);
  }
};

/** Resolves after the time, or as soon as the signal is aborted. Passed in, so that tests can let a day pass. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export const wait: Wait = async (ms, signal) => {
  await delay(ms, undefined, { signal }).catch(() => undefined);
};

/** Most rounds that a failing job is skipped. */
const MOST_ROUNDS = 255;

/**
 * Lets a task go through jobs one by one. A failing job is reported and stops neither the others nor the task. If it keeps failing, it is skipped for more
 * and more rounds.
 */
export class JobBackoff {
  readonly #report: (error: unknown) => void;
  readonly #what: string;
  readonly #failing = new Map<string, { failures: number; skips: number }>();

  constructor(report: (error: unknown) => void, what = "job") {
    this.#report = report;
    this.#what = what;
  }

  /** False if it failed, or is skipped in this round. */
  async try(job: string, run: () => Promise<void>): Promise<boolean> {
    const failing = this.#failing.get(job) ?? { failures: 0, skips: 0 };
    if (failing.skips-- > 0) return false;
    try {
      await run();
      this.#failing.delete(job);
      return true;
    } catch (error) {
      failing.failures++;
      failing.skips = Math.min(2 ** (failing.failures - 1) - 1, MOST_ROUNDS);
      this.#failing.set(job, failing);
      const reason = error instanceof Error ? error.message : String(error);
      this.#report(new Error(`${this.#what} ${job}: ${reason}`, { cause: error }));
      return false;
    }
  }
}

/** What the tasks log. URLs of receivers are left out: some of them are secrets. */
export interface TaskLog {
  readonly report: (task: string, error: unknown) => void;
  readonly onReaped: (reaped: { readonly workers: number; readonly suspects: number }) => void;
  readonly onEvent: (event: LedgerEvent) => void;
  readonly onDeliveryEnd: (delivery: Delivery, end: DeliveryEnd) => void;
  readonly onRemoved: (removal: Removal) => void;
  readonly onAlerts: (channel: string, told: DueAlerts) => void;
}

export const taskLog = (log: ControllerLog): TaskLog => ({
  report(task, error) {
    log.error("task failed", { task, message: error instanceof Error ? error.message : String(error) });
  },
  onReaped(reaped) {
    log.warn("workers given up", { ...reaped });
  },
  onEvent({ id, type, job, facts }) {
    log.info(type, { ...shortFacts(facts), job, id });
  },
  onDeliveryEnd({ id, client, job, type, attempts }, { state, ...end }) {
    const facts = { delivery: id, client, job, type, attempt: attempts + 1, state, ...end };
    if (state === "delivered") log.info("delivery", facts);
    else log.warn("delivery", facts);
  },
  onRemoved({ job, client, scraper, what, removed, kept }) {
    log.info("removed", { job, client, scraper, what, ...removed, keptObjects: kept.objects });
  },
  onAlerts(channel, { raised, over }) {
    log.info("alerts sent", { channel, raised, over });
  },
});

/** Evidence and lists of items are large, and the ledger has them. */
const LONGEST_FACT = 200;

const shortFacts = (facts: LedgerEvent["facts"]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(facts).filter(([, value]) => (JSON.stringify(value) ?? "").length <= LONGEST_FACT),
  );
