import type { CollectorKind } from "../domain/job-version.ts";
import { RecentCosts, type Scale, scale, scaleKindOf } from "../domain/scale.ts";
import type { Ledger } from "../ports/ledger.ts";

interface ScalerOptions {
  readonly ledger: Pick<Ledger, "readBacklog">;
  readonly min: number;
  readonly max: number;
  readonly lanes?: readonly string[];
  readonly kinds?: readonly CollectorKind[];
}

/** A process on this machine. */
const START_SECONDS = 3;
/** A process is stopped after it was not needed for this long: a lane that is empty for a moment stops none. */
const HOLD_MS = 5000;

/** How many worker processes this machine should have. Other machines are not asked: each decides for itself. */
export class Scaler {
  readonly #options: ScalerOptions;
  readonly #costs = new RecentCosts();
  #seen: { readonly atMs: number; readonly workers: number }[] = [];

  constructor(options: ScalerOptions) {
    this.#options = options;
  }

  async look(atMs = performance.now()): Promise<number> {
    const { ledger, min, max, lanes: only } = this.#options;
    const { lanes, workers, work } = await ledger.readBacklog(only && { lanes: only });
    const costs = this.#costs.add(work, atMs);
    const useful = this.#ours(scale({ lanes, workers, costs, startSeconds: START_SECONDS }));
    this.#seen = [...this.#seen.filter((one) => atMs - one.atMs < HOLD_MS), { atMs, workers: useful }];
    const most = Math.max(...this.#seen.map((one) => one.workers));
    return Math.min(Math.max(most, min), max);
  }

  #ours({ workers, kinds }: Scale): number {
    const taken = new Set(this.#options.kinds?.map((kind) => scaleKindOf([kind])) ?? ["http", "browser"]);
    if (taken.size > 1) return workers;
    return taken.has("http") ? kinds.http.workers : kinds.browser.workers;
  }
}
