import type { ChildProcess } from "node:child_process";
import { findConfig } from "../config/find-config.ts";
import { DEFAULT_MEMORY_MB, forkWorker } from "../worker/worker-process.ts";
import { workerScript } from "./worker-script.ts";

let early: ChildProcess | undefined;

/** Starts the worker process of `sluice run` while the command line is still to be loaded and read. */
export const startEarlyWorker = (args: readonly string[]): void => {
  const isRun = args[0] === "run" && args.some((arg) => arg.startsWith("--input"));
  // A configuration may change the environment, which workers inherit.
  if (!isRun || args.includes("--help") || args.includes("-h") || findConfig(process.cwd())) return;
  early = forkWorker(workerScript, DEFAULT_MEMORY_MB);
  early.once("error", endEarlyWorker).once("exit", endEarlyWorker);
};

/** The caller must end the worker that it takes. */
export const takeEarlyWorker = (): ChildProcess | undefined => {
  const taken = early;
  early = undefined;
  return taken;
};

/** For a command that fails before it runs anything. */
export const endEarlyWorker = (): void => void takeEarlyWorker()?.kill("SIGKILL");
