import { endedCount } from "../domain/item.ts";
import { type JobView, type LaneView, workedCount } from "../domain/job.ts";
import { RecentRate } from "../domain/recent-rate.ts";

export interface ProgressExtra {
  /** Inputs read so far; absent once all are read. */
  readonly loaded?: number;
  readonly processes: number;
}

/** One moment of a job, with what only the moments before it can tell. */
export interface ProgressFrame extends ProgressExtra {
  readonly view: JobView;
  readonly lanes: readonly LaneView[];
  readonly perSecond?: number;
  readonly etaMs?: number;
}

const RATE_WINDOW_MS = 10_000;
/** Longer, so that the time left does not jump about. */
const ETA_WINDOW_MS = 60_000;

/** Makes frames from what the ledger says, one after the other. */
export class FrameMaker {
  readonly #rate = new RecentRate(RATE_WINDOW_MS);
  readonly #steadyRate = new RecentRate(ETA_WINDOW_MS);

  frame(view: JobView, lanes: readonly LaneView[], extra: ProgressExtra, nowMs: number): ProgressFrame {
    const worked = workedCount(view);
    this.#rate.add(worked, nowMs);
    this.#steadyRate.add(worked, nowMs);
    const perSecond = this.#rate.perSecond;
    const steady = this.#steadyRate.perSecond ?? 0;
    const { queued, leased } = view.counts.states;
    // Items that only wait for their time say nothing about when they end.
    const hasEta = view.isSealed && view.state === "running" && queued + leased > 0 && steady > 0;
    const left = view.counts.accepted - endedCount(view.counts.states);
    return {
      ...extra,
      view,
      lanes,
      ...(perSecond !== undefined && { perSecond }),
      ...(hasEta && { etaMs: (left / steady) * 1000 }),
    };
  }
}
