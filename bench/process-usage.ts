import { readFileSync } from "node:fs";

/** The largest resident set that a process ever had, its children apart. */
export const peakMb = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1_024;

/** Of a second, on every Linux that Node runs on. */
const TICKS = 100;

/** What all threads of a process have taken so far, in user and system mode. */
export const cpuSeconds = (pid: number): number => {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ").slice(11, 13);
  return (Number(user) + Number(system)) / TICKS;
};
