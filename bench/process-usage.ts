import { globSync, readFileSync } from "node:fs";

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

/** CPU time of a process and of all below it, those that have ended included: each counts as it was last seen. */
export class TreeCpu {
  readonly #root: number;
  readonly #seen = new Map<number, number>();

  constructor(root: number) {
    this.#root = root;
  }

  sample(): void {
    const visit = (pid: number): void => {
      try {
        this.#seen.set(pid, cpuSeconds(pid));
        for (const file of globSync(`/proc/${pid}/task/*/children`))
          for (const child of readFileSync(file, "utf8").split(" ")) if (child !== "") visit(Number(child));
      } catch {
        // It has just ended.
      }
    };
    visit(this.#root);
  }

  get seconds(): number {
    return this.#seen.values().reduce((sum, one) => sum + one, 0);
  }
}

/** What this process and all below it have used so far. */
export interface TreeUsage {
  /** Those that have ended included, if their parents have waited for them and still run. */
  readonly cpuSeconds: number;
  /** Proportional share of memory of those that run. */
  readonly pssMb: number;
}

export const treeUsage = (root = process.pid): TreeUsage => {
  let [ticks, kilobytes] = [0, 0];
  const visit = (pid: number): void => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]!.split(" ");
      // utime, stime, cutime, cstime
      for (const field of fields.slice(11, 15)) ticks += Number(field);
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
      for (const file of globSync(`/proc/${pid}/task/*/children`))
        for (const child of readFileSync(file, "latin1").split(" ")) if (child !== "") visit(Number(child));
    } catch {
      // It has just ended.
    }
  };
  visit(root);
  return { cpuSeconds: ticks / TICKS, pssMb: kilobytes / 1_024 };
};
