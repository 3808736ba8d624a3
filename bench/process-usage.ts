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
