import { laneFor, type LaneOf } from "../flow/plan.ts";
import { StopError } from "../model/stop-error.ts";
import type { CollectorTools } from "../ports/collector.ts";
import type { ClaimedItem } from "../ports/ledger.ts";
import type { ReadyScraper } from "../scrapers/ready-scraper.ts";
import type { Pulse } from "./pulse.ts";
import type { RobotsGuard } from "./robots-guard.ts";
import type { SlotDesk, SlotSeeker } from "./slot-desk.ts";

export interface RequestGateOptions {
  readonly desk: SlotDesk;
  readonly pulse: Pulse;
  readonly robots: RobotsGuard;
  readonly laneOf: LaneOf;
}

/** What every request of every item passes: is the job still going, does robots.txt allow it, has the lane a slot. */
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
  of(item: ClaimedItem, { scraper }: ReadyScraper): CollectorTools["gate"] {
    const { desk, pulse, robots, laneOf } = this.#options;
    const laneAt = laneFor(scraper, JSON.parse(item.input), laneOf);
    const takeSlot = async (url: URL): Promise<void> => {
      if (this.#stopped.has(item.queue)) throw new StopError("the job was paused, cancelled or held");
      const lane = laneAt(url);
      await desk.take(lane, item);
      const lanes = this.#lanes.get(item) ?? new Map<string, string>();
      this.#lanes.set(item, lanes.set(url.host, lane));
    };
    return async (url, { acts }) => {
      if (scraper.robots !== "ignore")
        await robots.check(url, takeSlot, (delayMs) => pulse.crawlDelay(laneAt(url), delayMs));
      await takeSlot(url);
      if (!acts || !scraper.once) return;
      await pulse.acting(item);
      this.#acted.add(item);
    };
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
}
