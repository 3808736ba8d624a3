import type { InFlightItems } from "../pipeline/claim.ts";
import { type FailureKind, StopError } from "../domain/failure.ts";
import type { ItemRef } from "../domain/item.ts";
import type {
  LaneReport,
  OutcomeReport,
  PulseReply,
  PulseReport,
  TierReport,
  WayReport,
  WorkLedger,
} from "../ports/ledger.ts";
import { BEFORE_LAST_SLOT_MS } from "./claim-cadence.ts";
import type { SlotScheduler } from "./slot-scheduler.ts";
import type { UnsettledCosts } from "./unsettled-costs.ts";

interface PulseOptions {
  readonly ledger: WorkLedger;
  readonly worker: string;
  readonly inFlight: InFlightItems;
  readonly scheduler: SlotScheduler;
  readonly costs: Pick<UnsettledCosts, "byQueue">;
  readonly onReply: (reply: PulseReply, report: PulseReport) => void;
  readonly onError: (error: unknown) => void;
}

/** What else is reported to the lane about a failure. */
interface LaneTrouble {
  readonly retryAfterMs?: number | undefined;
  readonly slows?: boolean;
}

/** Time between pulses, unless something calls for an earlier one. */
const QUIET_MS = 300;
/** Between reports of what was sent. */
const USED_MS = 1000;
/** More at once teach nothing new. */
const MOST_WAYS = 100;
/** The same for a worker with nothing to report and nothing in flight. */
const IDLE_MS = 1000;

/**
 * The only contact with the ledger besides claim and settle: renews leases, books slots for further requests, returns unused ones, and reports outcomes
 * at once, so that the breaker does not wait for a segment to be sealed.
 */
export class Pulse {
  readonly #options: PulseOptions;
  #outcomes: OutcomeReport[] = [];
  #lanes = new Map<string, LaneReport>();
  #used = new Map<string, number>();
  #usedToldAt = -Infinity;
  #crawlDelays: { lane: string; delayMs: number }[] = [];
  #ways: WayReport[] = [];
  #tiers: TierReport[] = [];
  #acting: { readonly item: ItemRef; readonly end: (error?: StopError) => void }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;
  #beat: Promise<void> | undefined;
  #hasBadNews = false;
  #isStopped = false;

  constructor(options: PulseOptions) {
    this.#options = options;
    this.#schedule(QUIET_MS);
  }

  /** Something waits for an answer: pulse after the current turn of the event loop. */
  need(): void {
    this.#schedule(0);
  }

  /** More slots are needed than are booked. While the lane still has some, waiting costs nothing, and others may join. */
  needSlots(): void {
    this.#schedule(this.#slotsNeededInMs());
  }

  /** Items were claimed. */
  begin(): void {
    this.#schedule(QUIET_MS);
  }

  outcome(report: OutcomeReport): void {
    this.#outcomes.push(report);
    const isGood = report.result === "done" && (report.missing ?? []).length === 0;
    if (isGood) return;
    this.#hasBadNews = true;
    this.need();
  }

  /** Reports failures before more items are claimed: otherwise a broken site gets as many again. */
  async reportFailures(): Promise<void> {
    while (this.#hasBadNews && !this.#isStopped) {
      await this.#beat;
      if (this.#hasBadNews) await this.now();
    }
  }

  lane(lane: string, kind: "ok" | FailureKind, { retryAfterMs, slows }: LaneTrouble = {}): void {
    const key = `${lane} ${kind} ${slows}`;
    const known = this.#lanes.get(key);
    const wait = Math.max(retryAfterMs ?? 0, known?.retryAfterMs ?? 0);
    this.#lanes.set(key, {
      lane,
      kind,
      count: (known?.count ?? 0) + 1,
      ...(wait > 0 && { retryAfterMs: wait }),
      ...(slows !== undefined && { slows }),
    });
    if (kind !== "ok") this.need();
  }

  /** A request was sent. */
  sent(lane: string): void {
    this.#used.set(lane, (this.#used.get(lane) ?? 0) + 1);
  }

  /** What was sent, once a second at most: a lane's record is not written more often for it. */
  #takeUsed(): Pick<PulseReport, "used"> {
    const now = performance.now();
    if (this.#used.size === 0 || now < this.#usedToldAt + USED_MS) return {};
    const used = [...this.#used].map(([lane, requests]) => ({ lane, requests }));
    this.#used.clear();
    this.#usedToldAt = now;
    return { used };
  }

  crawlDelay(lane: string, delayMs: number): void {
    this.#crawlDelays.push({ lane, delayMs });
    this.need();
  }

  /** What was learned from an item of an `auto` scraper. */
  way(report: WayReport): void {
    if (this.#ways.length < MOST_WAYS) this.#ways.push(report);
  }

  /** The result of an item on the proxy tiers of its lane. Failures are reported at once, so that fewer items are affected. */
  tier(report: TierReport): void {
    this.#tiers.push(report);
    if (report.sign.result !== "good") this.need();
  }

  /** Resolves when the ledger has durably stored that this item's acting request is about to be sent. */
  async acting(item: ItemRef): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#acting.push({ item, end: (error) => (error ? reject(error) : resolve()) });
      this.need();
    });
  }

  async now(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#dueAt = Infinity;
    this.#beat ??= this.#send().finally(() => (this.#beat = undefined));
    await this.#beat;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#beat;
    await this.now();
    clearTimeout(this.#timer);
  }

  #slotsNeededInMs(): number {
    return Math.max(0, this.#options.scheduler.neededAt() - BEFORE_LAST_SLOT_MS - performance.now());
  }

  #schedule(delayMs: number): void {
    const dueAt = performance.now() + delayMs;
    if (dueAt >= this.#dueAt) return;
    this.#dueAt = dueAt;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#tick(), delayMs);
  }

  async #tick(): Promise<void> {
    if (this.#beat) await this.#beat;
    if (!this.#isStopped) await this.now();
  }

  async #send(): Promise<void> {
    const { ledger, worker, inFlight, scheduler, costs, onReply, onError } = this.#options;
    const acting = this.#acting;
    const report = {
      worker,
      // Read late: a claim may come first while this waits for the ledger's lock.
      get running() {
        return inFlight.running;
      },
      get unsettled() {
        return costs.byQueue;
      },
      acting: acting.map(({ item }) => item),
      inFlight: inFlight.byLane,
      returned: scheduler.returns(),
      refunds: scheduler.refunds(),
      wishes: scheduler.wishes(),
      outcomes: this.#outcomes,
      lanes: [...this.#lanes.values()],
      ...this.#takeUsed(),
      crawlDelays: this.#crawlDelays,
      ...(this.#ways.length > 0 && { ways: this.#ways }),
      ...(this.#tiers.length > 0 && { tiers: this.#tiers }),
    };
    this.#outcomes = [];
    this.#hasBadNews = false;
    this.#lanes = new Map();
    this.#crawlDelays = [];
    this.#ways = [];
    this.#tiers = [];
    this.#acting = [];
    let wishAgainInMs = 1;
    try {
      const reply = await ledger.pulse(report);
      const lost = reply.isAlive
        ? undefined
        : new StopError("the lease ended before the acting request was sent");
      // Stopped jobs come first: no slot or open lane may release their requests.
      onReply(reply, report);
      for (const { end } of acting) end(lost);
      for (const grant of reply.slots)
        scheduler.grant(
          grant,
          report.wishes.find(({ lane, queue }) => lane === grant.lane && queue === grant.queue)?.again,
        );
      scheduler.setOpen(reply.unpaced);
      wishAgainInMs = Math.max(1, reply.againInMs);
    } catch (error) {
      for (const { end } of acting) end(new StopError("the ledger does not answer"));
      onError(error);
    }
    if (this.#isStopped) return;
    const isIdle = inFlight.unsettled === 0 && this.#outcomes.length === 0;
    this.#schedule(isIdle ? IDLE_MS : QUIET_MS);
    this.#schedule(Math.max(wishAgainInMs, this.#slotsNeededInMs()));
  }
}
