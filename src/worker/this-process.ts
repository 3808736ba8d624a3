import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { availableParallelism, hostname, totalmem } from "node:os";
import type { WorkerInfo } from "../ports/ledger.ts";

/** Identifies this process. */
export const thisProcess = (): Pick<WorkerInfo, "host" | "pid" | "space"> => {
  const space = processSpace();
  return { host: hostname(), pid: process.pid, ...(space !== undefined && { space }) };
};

/** The share of one of N worker processes in this machine, or in its container. */
export const machinePart = (processes: number): Pick<WorkerInfo, "cores" | "memoryMb"> => {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return { cores: availableParallelism() / processes, memoryMb: Math.round(memory / processes / 1e6) };
};

/** Whether that worker's process has ended; false if that cannot be known from here. */
export const isGone = ({ pid, space }: Partial<Pick<WorkerInfo, "pid" | "space">>): boolean =>
  pid !== undefined && space !== undefined && space === processSpace() && !isRunning(pid);

/** The machine since its start, and the container: containers may share a host name, and each counts processes from 1. */
const processSpace = (): string | undefined => {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const text = `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
    return createHash("sha256").update(text).digest("hex").slice(0, 16);
  } catch {
    return undefined;
  }
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
};

/** Ended, but not yet reaped by its parent: in a container that may never happen. */
const isZombie = (pid: number): boolean => {
  try {
    // "pid (name) state …"; the name may contain anything.
    return /\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};
