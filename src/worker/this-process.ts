import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { WorkerInfo } from "../ports/ledger.ts";

/** Where this process is to be found. */
export const thisProcess = (): Pick<WorkerInfo, "host" | "pid" | "space"> => {
  const space = processSpace();
  return { host: hostname(), pid: process.pid, ...(space !== undefined && { space }) };
};

/** Whether that worker's process has ended; false as well where it cannot be told from here. */
export const isGone = ({ pid, space }: Partial<Pick<WorkerInfo, "pid" | "space">>): boolean =>
  pid !== undefined && space !== undefined && space === processSpace() && !isRunning(pid);

/** The machine since it was started, and the container: containers may share a host name, and count their processes each from 1. */
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

/** Ended, and not yet taken note of by its parent: in a container that may be never. */
const isZombie = (pid: number): boolean => {
  try {
    // "pid (name) state …", where the name may hold anything.
    return /\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};
