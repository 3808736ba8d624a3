import type { Ledger } from "../../ports/ledger.ts";
import { type DutyTools, runDuty } from "../run-duty.ts";

export interface ReaperOptions extends DutyTools {
  readonly ledger: Pick<Ledger, "reap">;
  readonly everyMs?: number;
  readonly onReaped?: (reaped: { readonly workers: number; readonly suspects: number }) => void;
}

/**
 * Ends the leases of workers that have fallen silent, which every claim does too: this is for when nobody claims. With it the ledger
 * cancels the jobs whose deadline has passed.
 */
export const runReaper = async (options: ReaperOptions, signal: AbortSignal): Promise<void> => {
  const { ledger, everyMs = 1000, onReaped } = options;
  const run = async (): Promise<void> => {
    const reaped = await ledger.reap({});
    if (reaped.workers > 0) onReaped?.(reaped);
  };
  await runDuty(options, { name: "reaper", everyMs, run }, signal);
};
