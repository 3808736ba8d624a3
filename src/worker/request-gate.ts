import { publicOnly } from "../pipeline/collect.ts";
import { laneFor, type LaneOf } from "../pipeline/plan.ts";
import { addressLane } from "../domain/lane-name.ts";
import type { JobSpec } from "../domain/job.ts";
import { StopError } from "../domain/failure.ts";
import type { CollectorTools, Departure } from "../ports/collector.ts";
import type { ClaimedItem } from "../ports/ledger.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import type { BudgetTracker } from "./budget.ts";
import type { Pulse } from "./pulse.ts";
import type { TierPrice } from "./proxy-tiers.ts";
import type { RobotsGuard } from "./robots-guard.ts";
import type { SlotScheduler, SlotSeeker, TakenSlot } from "./slot-scheduler.ts";
import type { WorkTally } from "./registration.ts";

interface RequestGateOptions {
  readonly scheduler: SlotScheduler;
  readonly pulse: Pulse;
  readonly robots: RobotsGuard;
  readonly laneOf: LaneOf;
  readonly budgets: BudgetTracker;
  readonly tally: WorkTally;
}

type Gate = (...asked: Parameters<CollectorTools["gate"]>) => Promise<Departure>;
type JobLimits = Pick<JobSpec, "id" | "budget" | "guardsTargets">;

interface AddressedSlot {
  /** The address lane that it was also booked for. */
  readonly address: string | undefined;
  readonly isInTime: TakenSlot;
}

const MOST_HOSTS = 10_000;

/** Every request passes here: the job runs and is within its budget, robots.txt allows it, and the lane has a slot. */
export class RequestGate {
  readonly #options: RequestGateOptions;
  readonly #lanes = new Map<SlotSeeker, Map<string, string>>();
  readonly #acted = new Set<SlotSeeker>();
  /** Address lanes of hosts, as last connected; "" if unknown. */
  readonly #addresses = new Map<string, string>();
  #pacesAddresses = false;
  #stopped: ReadonlySet<number> = new Set();
  #isDraining = false;

  constructor(options: RequestGateOptions) {
    this.#options = options;
  }

  /**
   * The slot must be used at once, so it comes last. Only the note that an acting request is about to be sent comes after it, because until then the
   * item may be returned. The note waits for the ledger and the connection for the site, so the slot is checked again afterwards.
   */
  of(item: ClaimedItem, { scraper }: CompiledScraper, job: JobLimits, price?: TierPrice): Gate {
    const { scheduler, pulse, robots, laneOf, budgets, tally } = this.#options;
    const laneAt = laneFor(scraper, JSON.parse(item.input), laneOf);
    const takeSlot = async (url: URL, acts = false): Promise<Departure> => {
      const lane = laneAt(url);
      const take = async (): Promise<AddressedSlot> => {
        this.#refuseStopped(item);
        const known = this.#pacesAddresses ? this.#addresses.get(url.host) : "";
        // The address is known once the socket is connected: until then the request waits for nothing and is not sent.
        if (known === undefined) return { address: undefined, isInTime: () => false };
        const address = known === "" ? undefined : known;
        return {
          address,
          isInTime: await tally.timed("lane-wait", () => scheduler.take(lane, item, address)),
        };
      };
      let slot = await take();
      const lanes = this.#lanes.get(item) ?? new Map<string, string>();
      this.#lanes.set(item, lanes.set(url.host, lane));
      return {
        leave: (address) => {
          this.#refuseStopped(item);
          if (this.#pacesAddresses && !this.#isFor(slot, url.host, address)) return false;
          if (!slot.isInTime()) return false;
          if (acts) this.#acted.add(item);
          pulse.sent(lane);
          if (slot.address !== undefined) pulse.sent(slot.address);
          return true;
        },
        renew: async () => {
          scheduler.missed(lane, item);
          slot = await take();
        },
      };
    };
    return async (url, { acts }) => {
      if (scraper.robots !== "ignore")
        await robots.check(url, {
          takeSlot,
          onCrawlDelay: (delayMs) => pulse.crawlDelay(laneAt(url), delayMs),
          ...((job.guardsTargets || scraper.owner !== undefined) && { publicOnly: publicOnly(scraper) }),
        });
      await budgets.spend(job, item, price);
      const isAct = acts && scraper.once === true;
      const departure = await takeSlot(url, isAct);
      if (isAct) await pulse.acting(item);
      return departure;
    };
  }

  /** From now on no item starts; running items continue. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Whether a request of the item was sent. */
  hasBegun(item: SlotSeeker): boolean {
    return this.#lanes.has(item);
  }

  /** The lanes that the item's requests have used, by host. */
  lanesOf(item: SlotSeeker): ReadonlyMap<string, string> {
    return this.#lanes.get(item) ?? new Map();
  }

  /** Whether the acting request of a `once` scraper was sent: then the item is not retried automatically. */
  hasActed(item: SlotSeeker): boolean {
    return this.#acted.has(item);
  }

  forget(item: ClaimedItem): void {
    this.#lanes.delete(item);
    this.#acted.delete(item);
  }

  /** Queues for which no request may start, as of the last answer of the ledger. */
  stop(queues: readonly number[]): void {
    this.#stopped = new Set(queues);
  }

  /** As of the last answer of the ledger. */
  paceAddresses(isPaced: boolean): void {
    if (this.#pacesAddresses && !isPaced) this.#options.scheduler.forgetAddresses();
    this.#pacesAddresses = isPaced;
  }

  /** Whether the slot is for the address that the socket is connected to. The connection counts, whatever a name server says. */
  #isFor(slot: AddressedSlot, host: string, connected: string | undefined): boolean {
    const lane = (connected !== undefined && addressLane(connected)) || "";
    this.#addresses.delete(host);
    this.#addresses.set(host, lane);
    if (this.#addresses.size > MOST_HOSTS) this.#addresses.delete(this.#addresses.keys().next().value!);
    return (slot.address ?? "") === lane;
  }

  #refuseStopped(item: SlotSeeker): void {
    if (this.#stopped.has(item.queue)) throw new StopError("the job was paused, cancelled or held");
    if (this.#isDraining && !this.hasBegun(item)) throw new StopError("the worker is stopping");
  }
}
