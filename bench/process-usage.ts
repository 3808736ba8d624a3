import { readFileSync } from "node:fs";

/** The largest resident set of a process, without its children. */
export const peakMb = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1_024;

/** Of a second, on every Linux that Node runs on. */
const TICKS = 100;

/** CPU time of all threads of a process so far, in user and system mode. */
export const cpuSeconds = (pid: number): number => {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ").slice(11, 13);
  return (Number(user) + Number(system)) / TICKS;
};
