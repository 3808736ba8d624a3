import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** What one process of a group has done since all began. */
export interface MemberRun {
  readonly items: number;
  readonly cpuSeconds: number;
}

export interface GroupRun {
  readonly items: number;
  readonly seconds: number;
  /** Of the processes, without their start. */
  readonly clientCpu: number;
  readonly serverCpu: number;
}

const TIMEOUT_MS = 300_000;

/**
 * Runs a script in several processes that begin together: each opens what it needs first. They end together too, so that the server's processes still
 * run when their CPU time is read.
 */
export const runGroup = async (
  script: string,
  task: unknown,
  count: number,
  serverCpu: () => number,
): Promise<GroupRun> => {
  const children = Array.from({ length: count }, () =>
    fork(script, [JSON.stringify(task)], { stdio: ["ignore", "ignore", "inherit", "ipc"] }),
  );
  const timer = setTimeout(() => killAll(children), TIMEOUT_MS);
  try {
    await answers(children);
    const cpuBefore = serverCpu();
    const from = performance.now();
    const ended = answers<MemberRun>(children);
    for (const child of children) child.send("begin");
    const runs = await ended;
    const seconds = (performance.now() - from) / 1_000;
    const server = serverCpu() - cpuBefore;
    const exits = children.map((child) => once(child, "exit"));
    for (const child of children) child.send("end");
    await Promise.all(exits);
    const sum = (of: keyof MemberRun): number => runs.reduce((total, run) => total + run[of], 0);
    return { items: sum("items"), seconds, clientCpu: sum("cpuSeconds"), serverCpu: server };
  } finally {
    clearTimeout(timer);
    killAll(children);
  }
};

const killAll = (children: readonly ChildProcess[]): void => {
  for (const child of children) child.kill("SIGKILL");
};

/** The next message of each. */
const answers = <T>(children: readonly ChildProcess[]): Promise<T[]> =>
  Promise.all(
    children.map(
      (child) =>
        new Promise<T>((resolve, reject) => {
          const onExit = (code: number | null): void =>
            reject(new Error(`${child.spawnargs.at(-2)} ended too early (exit ${code ?? "by signal"})`));
          child.once("exit", onExit);
          child.once("message", (message) => {
            child.off("exit", onExit);
            resolve(message as T);
          });
        }),
    ),
  );

/** In such a process: `work` begins when all are ready, and answers how many items it did. */
export const runAsMember = async (work: () => Promise<number>): Promise<void> => {
  const told = (): Promise<unknown> => once(process, "message");
  const begun = told();
  process.send!("ready");
  await begun;
  const before = process.cpuUsage();
  const items = await work();
  const { user, system } = process.cpuUsage(before);
  const ended = told();
  process.send!({ items, cpuSeconds: (user + system) / 1e6 } satisfies MemberRun);
  await ended;
};
