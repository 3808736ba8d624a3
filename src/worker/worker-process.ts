import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import type { CollectorKind } from "../domain/job-version.ts";
import { isStalled } from "../domain/stall.ts";
import type { StorageLocation } from "../ports/storage.ts";
import type { LogLevel } from "./log.ts";

export interface ProcessOptions {
  /** The program that a worker process runs. */
  readonly script: URL;
  readonly maxMemoryMb: number;
  /** One that was started ahead of time, and has not been given work. */
  readonly child?: ChildProcess | undefined;
  /** How long its event loop may be blocked. */
  readonly stallMs: number;
  readonly onMessage: (message: FromWorker) => void;
  readonly onOutput: (line: string) => void;
}

/** How a process ended, as seen from outside. */
export interface ProcessEnd {
  /** It reported its end: it has nothing in flight. */
  readonly isOrderly: boolean;
  readonly blame: "scraper" | "unknown";
  readonly detail: string;
}

/** More than any healthy worker needs. */
export const DEFAULT_MEMORY_MB = 1024;
const HEAP_SHARE = 0.5;
/** What the engine prints when it crashes: used as the reason, not shown in the terminal. */
const CRASH_DUMP = /^(?:<---|\[\d+:0x|FATAL ERROR|-----|#|\s*\d+: 0x|\s+at |Node\.js v)/;

/** A small young generation: 4 MB cost a tenth of the speed; 16 MB gave no more speed and took 50 MB. */
export const workerFlags = (maxMemoryMb: number): string[] => [
  `--max-old-space-size=${Math.round(maxMemoryMb * HEAP_SHARE)}`,
  "--max-semi-space-size=8",
  "--disable-warning=ExperimentalWarning",
];

export const forkWorker = (script: URL, maxMemoryMb: number): ChildProcess =>
  fork(script, [], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, NODE_COMPILE_CACHE: getCompileCacheDir() ?? "" },
    execArgv: workerFlags(maxMemoryMb),
  });

/** One supervised worker process: it is killed if its event loop is blocked or it uses too much memory. */
export class WorkerProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<ProcessEnd>;
  readonly #options: ProcessOptions;
  #name = "";
  #hasStarted = false;
  #isOrderly = false;
  #beatAt = performance.now();
  #beats = 0;
  /** The count of beats at the last change, and the CPU time at that moment. */
  #seen: { readonly beats: number; readonly ranMs: number | undefined } = { beats: -1, ranMs: undefined };
  #killedFor: string | undefined;
  #stderr = "";

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.child = options.child ?? forkWorker(options.script, options.maxMemoryMb);
    this.child.on("message", (message: FromWorker) => {
      this.#heard();
      if (message.type === "ended" || message.type === "failed") this.#isOrderly = true;
      options.onMessage(message);
    });
    this.child.stdout?.on("data", (data: Buffer) => options.onOutput(data.toString().trimEnd()));
    this.child.stderr?.on("data", (data: Buffer) => {
      const text = data.toString();
      this.#stderr = (this.#stderr + text).slice(-4000);
      const own = text.split("\n").filter((line) => line.trim() !== "" && !CRASH_DUMP.test(line));
      if (own.length > 0) options.onOutput(own.join("\n"));
    });
    this.ended = new Promise((resolve) => {
      this.child.once("error", (error) =>
        resolve({ isOrderly: false, blame: "unknown", detail: error.message }),
      );
      this.child.once("exit", (code, signal) => resolve(this.#end(code, signal)));
    });
  }

  get name(): string {
    return this.#name;
  }

  start(message: Extract<ToWorker, { type: "start" }>): void {
    this.#name = message.name;
    this.#hasStarted = true;
    this.#heard();
    this.#send(message);
  }

  /** It finishes its items. Those that still run after `patienceMs` go back; without it, all are finished. */
  stop(patienceMs?: number): void {
    this.#send({ type: "stop", ...(patienceMs !== undefined && { patienceMs }) });
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }

  /** `sleptMs`: how late this check is. Time in which the supervisor itself slept does not count. */
  look(sleptMs: number): void {
    this.#beatAt += sleptMs;
    if (!this.#hasStarted || this.#killedFor !== undefined) return;
    const silentMs = performance.now() - this.#beatAt;
    const { stallMs, maxMemoryMb } = this.#options;
    const ranMs = mainThreadMs(this.child.pid);
    if (this.#seen.beats !== this.#beats) this.#seen = { beats: this.#beats, ranMs };
    const before = this.#seen.ranMs;
    const ranSince = ranMs === undefined || before === undefined ? undefined : ranMs - before;
    if (isStalled(silentMs, ranSince, stallMs))
      this.#killFor(`its event loop was blocked for ${Math.round(silentMs / 1000)} s (an endless loop?)`);
    else if (residentMb(this.child.pid) > maxMemoryMb)
      this.#killFor(`it used more than ${maxMemoryMb} MB of memory`);
  }

  #heard(): void {
    this.#beatAt = performance.now();
    this.#beats++;
  }

  #killFor(reason: string): void {
    this.#killedFor = reason;
    this.kill();
  }

  #send(message: ToWorker): void {
    if (this.child.connected) this.child.send(message, () => undefined); // it may be dying
  }

  #end(code: number | null, signal: NodeJS.Signals | null): ProcessEnd {
    if (this.#isOrderly) return { isOrderly: true, blame: "unknown", detail: "ended" };
    const scraper = (detail: string): ProcessEnd => ({ isOrderly: false, blame: "scraper", detail });
    if (this.#killedFor !== undefined) return scraper(this.#killedFor);
    if (/heap out of memory|Fatal process out of memory/i.test(this.#stderr))
      return scraper("it ran out of memory");
    if (signal === "SIGABRT" || signal === "SIGSEGV" || signal === "SIGBUS" || signal === "SIGTRAP")
      return scraper(`it crashed (${signal})`);
    if (signal !== null)
      return { isOrderly: false, blame: "unknown", detail: `ended from outside by ${signal}` };
    const error = /^\s*(?:Uncaught\s+)?(\w*Error\b.*)$/m.exec(this.#stderr)?.[1];
    return scraper(error ? `uncaught: ${error.slice(0, 200)}` : `it ended itself with exit code ${code}`);
  }
}

/** Linux counts in hundredths of a second. */
const TICK_MS = 10;

/** CPU time of its main thread (Linux only). */
const mainThreadMs = (pid: number | undefined): number | undefined => {
  try {
    // "pid (name) state …": fields 14 and 15 are user and system time; the name may contain anything.
    const [, fields = ""] = /.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/task/${pid}/stat`, "utf8")) ?? [];
    const [user, system] = fields.split(" ").slice(11, 13).map(Number);
    return (user! + system!) * TICK_MS;
  } catch {
    return undefined;
  }
};

/** Resident memory (Linux); 0 elsewhere. */
const residentMb = (pid: number | undefined): number => {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096) / 1e6;
  } catch {
    return 0;
  }
};

/** What a worker process works on. */
export interface WorkOrder {
  readonly location: StorageLocation;
  /** Only items of these jobs; default: all jobs. */
  readonly jobs?: readonly string[];
  /** Only items of these lanes. */
  readonly lanes?: readonly string[];
  /** Only jobs that need no other kind of collector. */
  readonly kinds?: readonly CollectorKind[];
  /** Items in flight at once, for each process. */
  readonly capacity?: number;
  /** At most this many of them share this machine; default 1. */
  readonly processes?: number;
  /** Private hosts, addresses and networks that jobs of clients may reach. */
  readonly allowTargets?: readonly string[];
  readonly logLevel: LogLevel;
}

/** Messages to a worker process. */
export type ToWorker =
  | (WorkOrder & {
      readonly type: "start";
      readonly name: string;
      /** Runs suspects, one at a time, and ends when none are left. */
      readonly isAlone: boolean;
    })
  | { readonly type: "stop"; readonly patienceMs?: number };

/** Messages from it. `beat` comes from its event loop: without beats, the loop is blocked. */
export type FromWorker =
  | { readonly type: "beat"; readonly suspects: number }
  | { readonly type: "ended" }
  | { readonly type: "failed"; readonly name: string; readonly code?: string; readonly message: string };
