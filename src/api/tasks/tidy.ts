import type { Ledger } from "../../ports/ledger.ts";
import { type TaskTools, runTask } from "../run-task.ts";

interface TidyOptions extends TaskTools {
  readonly ledger: Pick<Ledger, "tidy">;
  readonly everyMs?: number;
}

/** The ledger's housekeeping, which workers with slot timers leave to others. */
export const runTidy = async (options: TidyOptions, signal: AbortSignal): Promise<void> => {
  const { ledger, everyMs = 1000 } = options;
  await runTask(options, { name: "tidy", everyMs, run: () => ledger.tidy() }, signal);
};
