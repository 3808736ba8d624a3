import { publicOnly } from "../flow/collect.ts";
import { laneFor, type LaneOf } from "../flow/plan.ts";
import type { JobSpec } from "../model/job.ts";
import { StopError } from "../model/stop-error.ts";
import type { CollectorTools } from "../ports/collector.ts";
import type { ClaimedItem } from "../ports/ledger.ts";
import type { ReadyScraper } from "../scrapers/ready-scraper.ts";
import type { BudgetBook } from "./budget-book.ts";
import type { Pulse } from "./pulse.ts";
import type { RobotsGuard } from "./robots-guard.ts";
import type { SlotDesk, SlotSeeker } from "./slot-desk.ts";
import type { WorkTally } from "./work-tally.ts";

export interface RequestGateOptions {
  readonly desk: SlotDesk;
  readonly pulse: Pulse;
  readonly robots: RobotsGuard;
  readonly laneOf: LaneOf;
  readonly budgets: BudgetBook;
  readonly tally: WorkTally;
}

export type ItemGate = Required<Pick<CollectorTools, "gate" | "leaving">>;
type JobLimits = Pick<JobSpec, "id" | "budget" | "guardsTargets">;

/** What every request of every item passes: is the job going and within its budget, does robots.txt allow it, has the lane a slot. */
export class RequestGate {
  readonly #options: RequestGateOptions;
  readonly #lanes = new Map<SlotSeeker, Map<string, string>>();
  readonly #acted = new Set<SlotSeeker>();
  #stopped: ReadonlySet<number> = new Set();

  constructor(options: RequestGateOptions) {
    this.#options = options;
  }

  /**
   * The slot must be used at once, so it comes last; only the word that an acting request is about to leave comes after it, for until then
   * the item may be given back.
   */
  of(item: ClaimedItem, { scraper }: ReadyScraper, job: JobLimits): ItemGate {
    const { desk, pulse, robots, laneOf, budgets, tally } = this.#options;
    const laneAt = laneFor(scraper, JSON.parse(item.input), laneOf);
    const takeSlot = async (url: URL): Promise<void> => {
      this.#refuseStopped(item);
      const lane = laneAt(url);
      await tally.timed("lane-wait", () => desk.take(lane, item));
      const lanes = this.#lanes.get(item) ?? new Map<string, string>();
      this.#lanes.set(item, lanes.set(url.host, lane));
    };
    const leaving = (): void => this.#refuseStopped(item);
    const gate: ItemGate["gate"] = async (url, { acts }) => {
      if (scraper.robots !== "ignore")
        await robots.check(url, {
          takeSlot,
          leaving,
          onCrawlDelay: (delayMs) => pulse.crawlDelay(laneAt(url), delayMs),
          ...(job.guardsTargets && { publicOnly: publicOnly(scraper) }),
        });
      await budgets.spend(job, item);
      await takeSlot(url);
      if (!acts || !scraper.once) return;
      await pulse.acting(item);
      this.#refuseStopped(item);
      this.#acted.add(item);
    };
    return { gate, leaving };
  }

  /** Whether a request of the item has left. */
  hasBegun(item: SlotSeeker): boolean {
    return this.#lanes.has(item);
  }

  /** The lanes that the item's requests have used, by host. */
  lanesOf(item: SlotSeeker): ReadonlyMap<string, string> {
    return this.#lanes.get(item) ?? new Map();
  }

  /** Whether the acting request of a `once` scraper has left: from then on the item is not tried again by itself. */
  hasActed(item: SlotSeeker): boolean {
    return this.#acted.has(item);
  }

  forget(item: ClaimedItem): void {
    this.#lanes.delete(item);
    this.#acted.delete(item);
  }

  /** Queues for which no request may start, as the ledger last said. */
  stop(queues: readonly number[]): void {
    this.#stopped = new Set(queues);
  }

  #refuseStopped({ queue }: SlotSeeker): void {
    if (this.#stopped.has(queue)) throw new StopError("the job was paused, cancelled or held");
  }
}
