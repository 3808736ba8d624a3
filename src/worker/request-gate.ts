import type { LaneOf } from "../flow/plan.ts";
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
  readonly #begun = new Set<SlotSeeker>();
  readonly #acted = new Set<SlotSeeker>();
  #stopped: ReadonlySet<number> = new Set();

  constructor(options: RequestGateOptions) {
    this.#options = options;
  }

  /** The slot comes last: it must be used at once. */
  of(item: ClaimedItem, { scraper }: ReadyScraper): CollectorTools["gate"] {
    const { desk, pulse, robots, laneOf } = this.#options;
    const home = scraper.site === undefined ? undefined : new URL(scraper.site).host;
    const takeSlot = async (url: URL): Promise<void> => {
      if (this.#stopped.has(item.queue)) throw new StopError("the job was paused, cancelled or held");
      await desk.take(scraper.lane !== undefined && url.host === home ? scraper.lane : laneOf(url), item);
      this.#begun.add(item);
    };
    return async (url, { acts }) => {
      if (scraper.robots !== "ignore") await robots.check(url, takeSlot);
      if (acts && scraper.once) {
        await pulse.acting(item);
        this.#acted.add(item);
      }
      await takeSlot(url);
    };
  }

  /** Whether a request of the item has left. */
  hasBegun(item: SlotSeeker): boolean {
    return this.#begun.has(item);
  }

  /** Whether the acting request of a `once` scraper has left: from then on the item is not tried again by itself. */
  hasActed(item: SlotSeeker): boolean {
    return this.#acted.has(item);
  }

  forget(item: ClaimedItem): void {
    this.#begun.delete(item);
    this.#acted.delete(item);
  }

  /** Queues for which no request may start, as the ledger last said. */
  stop(queues: readonly number[]): void {
    this.#stopped = new Set(queues);
  }
}
