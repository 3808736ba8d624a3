import type { ChildProcess } from "node:child_process";
import { hostname } from "node:os";
import type { WorkLedger } from "../ports/ledger.ts";
import { parseStorageUrl } from "../ports/storage.ts";
import type { Log } from "./log.ts";
import { thisProcess } from "./this-process.ts";
import {
  DEFAULT_MEMORY_MB,
  type FromWorker,
  type ProcessEnd,
  WorkerProcess,
  type WorkOrder,
} from "./worker-process.ts";

interface SupervisorOptions {
  readonly script: URL;
  /** To begin with, see `scaleTo`. */
  readonly processes: number;
  /** The first of them, if it runs already. */
  readonly first?: ChildProcess | undefined;
  readonly onOutput: (line: string) => void;
  readonly stallMs?: number;
  readonly maxMemoryMb?: number;
}

interface SuperviseOptions extends WorkOrder {
  readonly ledger: WorkLedger;
  readonly log: Log;
}

const LOOK_MS = 250;
/** Processes that die before doing anything point to the installation, not to an item. */
const MAX_STILLBORN = 5;

/**
 * Keeps worker processes running. One that dies is reaped at once and replaced, so that its items do not wait for their lease to end. While there are
 * suspects, one more process runs them alone.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #processes = new Set<WorkerProcess>();
  /** Work that is left for processes that have ended. */
  readonly #ends = new Set<Promise<void>>();
  readonly #spare: WorkerProcess[] = [];
  /** Those that finish because fewer are wanted. */
  readonly #draining = new Set<WorkerProcess>();
  #wanted: number;
  #work: SuperviseOptions | undefined;
  #solo: WorkerProcess | undefined;
  #suspects = 0;
  #isStopping = false;
  #stillborn = 0;
  #looker: NodeJS.Timeout | undefined;
  #failure: Error | undefined;

  /** Starts the processes at once: they load their code while the job is prepared. */
  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#wanted = options.processes;
    for (let i = 0; i < options.processes; i++)
      this.#spare.push(this.#spawn(i === 0 ? options.first : undefined));
    let lookedAt = performance.now();
    this.#looker = setInterval(() => {
      const now = performance.now();
      const sleptMs = Math.max(0, now - lookedAt - 2 * LOOK_MS);
      lookedAt = now;
      for (const process of this.#processes) process.look(sleptMs);
      this.#tendSuspects();
    }, LOOK_MS);
  }

  /** A failure that ends the run: a worker found the ledger or the archive unusable. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  start(work: SuperviseOptions): void {
    if (this.#isStopping) return;
    this.#work = work;
    const spare = this.#spare.splice(0);
    for (const process of spare) this.#begin(process, false);
    this.scaleTo(this.#wanted);
  }

  /** Changes the number of processes: the newest finish their items, or more are started. */
  scaleTo(processes: number): void {
    this.#wanted = processes;
    if (!this.#work || this.#isStopping || this.#failure) return;
    const working = [...this.#processes].filter(
      (process) => process !== this.#solo && !this.#draining.has(process),
    );
    for (let count = working.length; count < processes; count++) this.#begin(this.#spawn(), false);
    for (const process of working.slice(processes)) {
      this.#draining.add(process);
      process.stop();
    }
  }

  /** Lets every process finish and settle its items in flight; what still runs after `patienceMs` goes back. */
  async stop(patienceMs?: number): Promise<void> {
    this.#isStopping = true;
    for (const process of this.#processes) process.stop(patienceMs);
    await this.#allEnded();
  }

  /** Ends all at once; items in flight go back. */
  async kill(): Promise<void> {
    this.#isStopping = true;
    for (const process of this.#processes) process.kill();
    await this.#allEnded();
  }

  async #allEnded(): Promise<void> {
    while (this.#ends.size > 0) await Promise.all(this.#ends);
    clearInterval(this.#looker);
  }

  #spawn(child?: ChildProcess): WorkerProcess {
    const { script, onOutput, stallMs = 10_000, maxMemoryMb = DEFAULT_MEMORY_MB } = this.#options;
    let hasBeaten = false;
    const process = new WorkerProcess({
      script,
      child,
      stallMs,
      maxMemoryMb,
      onOutput,
      onMessage: (message) => {
        hasBeaten = true;
        this.#hear(message);
      },
    });
    this.#processes.add(process);
    const ended = process.ended
      .then((end) => this.#afterEnd(process, end, hasBeaten))
      .catch((error: unknown) => void (this.#failure ??= error as Error))
      .finally(() => this.#ends.delete(ended));
    this.#ends.add(ended);
    return process;
  }

  #begin(process: WorkerProcess, isAlone: boolean): void {
    const { ledger: _ledger, log: _log, ...order } = this.#work!;
    // Machines may share a host name.
    const machine =
      parseStorageUrl(order.location.ledger)?.scheme !== "sqlite"
        ? `${thisProcess().space?.slice(0, 8) ?? ""}-`
        : "";
    const name = `${hostname()}-${process.child.pid}-${machine}${isAlone ? "alone" : "worker"}`;
    process.start({ type: "start", name, isAlone, ...order });
  }

  #hear(message: FromWorker): void {
    if (message.type === "beat") this.#suspects = message.suspects;
    if (message.type === "failed") {
      const error = new Error(message.message);
      error.name = message.name;
      this.#failure ??= Object.assign(error, { code: message.code });
    }
  }

  async #afterEnd(process: WorkerProcess, end: ProcessEnd, hasBeaten: boolean): Promise<void> {
    this.#processes.delete(process);
    this.#draining.delete(process);
    const isSolo = this.#solo === process;
    if (isSolo) this.#solo = undefined;
    if (!this.#work) {
      this.#spare.splice(this.#spare.indexOf(process), 1);
      return;
    }
    const { ledger, log } = this.#work;
    if (!end.isOrderly && process.name !== "") {
      const { blame, detail } = end;
      log.warn("worker died", { worker: process.name, blame, detail });
      const reply = await ledger.reap({ worker: process.name, cause: { blame, detail } });
      this.#suspects += reply.suspects;
      this.#stillborn = hasBeaten ? 0 : this.#stillborn + 1;
      if (this.#stillborn >= MAX_STILLBORN)
        this.#failure ??= new Error(`worker processes end before they start work: ${detail}`);
    }
    if (!isSolo) this.scaleTo(this.#wanted);
  }

  #tendSuspects(): void {
    if (this.#suspects === 0 || this.#solo || this.#isStopping || !this.#work || this.#failure) return;
    this.#suspects = 0;
    this.#solo = this.#spawn();
    this.#begin(this.#solo, true);
  }
}
