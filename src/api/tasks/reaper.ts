import type { Ledger, ReapReply, WorkerView } from "../../ports/ledger.ts";
import { type TaskTools, runTask } from "../run-task.ts";

interface ReaperOptions extends TaskTools {
  readonly ledger: Pick<Ledger, "reap" | "listWorkers">;
  /** Whether a worker's process has ended, if that can be seen from here; by default, none has. */
  readonly isGone?: (worker: WorkerView) => boolean;
  readonly everyMs?: number;
  readonly onReaped?: (reaped: { readonly workers: number; readonly suspects: number }) => void;
}

const CAUSE = { blame: "unknown", detail: "its process was gone" } as const;

/**
 * Ends the leases of silent workers. Every claim does so too; this is for times without claims. Workers whose process has ended are reaped without waiting for
 * the silence. The ledger then also cancels jobs whose deadline has passed.
 */
export const runReaper = async (options: ReaperOptions, signal: AbortSignal): Promise<void> => {
  const { ledger, everyMs = 1000, onReaped } = options;
  let gone: ReadonlySet<string> = new Set();
  const run = async (): Promise<void> => {
    const seen = await goneWorkers(options);
    // One round later: its supervisor, if alive, knows better how it ended.
    for (const worker of seen.intersection(gone)) told(await ledger.reap({ worker, cause: CAUSE }));
    gone = seen;
    told(await ledger.reap({}));
  };
  const told = (reaped: ReapReply): void => {
    if (reaped.workers > 0) onReaped?.(reaped);
  };
  await runTask(options, { name: "reaper", everyMs, run }, signal);
};

/** Only workers with leases: others have nothing to give back. */
const goneWorkers = async ({ ledger, isGone }: ReaperOptions): Promise<ReadonlySet<string>> => {
  const workers = isGone ? await ledger.listWorkers() : [];
  return new Set(workers.filter((one) => one.leaseMs > 0 && isGone!(one)).map(({ name }) => name));
};
