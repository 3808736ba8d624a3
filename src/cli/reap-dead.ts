import { hostname } from "node:os";
import type { Ledger, WorkerView } from "../ports/ledger.ts";
import { isGone } from "../worker/this-process.ts";

/** Ends the leases of workers that are gone, where perhaps no other process does: those that are silent, and at once those whose process has ended. */
export const reapDead = async (ledger: Pick<Ledger, "listWorkers" | "reap">): Promise<void> => {
  for (const worker of await ledger.listWorkers())
    if (worker.space === undefined ? isGoneByName(worker) : isGone(worker))
      await ledger.reap({ worker: worker.name });
  await ledger.reap({});
};

/** Where the system does not tell containers apart. */
const isGoneByName = ({ name }: WorkerView): boolean => {
  const own = `${hostname()}-`;
  const pid = name.startsWith(own) ? Number(/^(\d+)-/.exec(name.slice(own.length))?.[1]) : NaN;
  return !Number.isNaN(pid) && !isAlive(pid);
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};
