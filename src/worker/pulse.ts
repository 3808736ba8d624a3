import type { InFlightItems } from "../pipeline/claim.ts";
import { type FailureKind, StopError } from "../domain/failure.ts";
import type { ItemRef } from "../domain/item.ts";
import type { LaneReport, OutcomeReport, PulseReply, WorkLedger } from "../ports/ledger.ts";
import { BEFORE_LAST_SLOT_MS } from "./claim-cadence.ts";
import type { SlotScheduler } from "./slot-scheduler.ts";
import type { UnsettledCosts } from "./budget.ts";

interface PulseOptions {
  readonly ledger: WorkLedger;
  readonly worker: string;
  readonly inFlight: InFlightItems;
  readonly scheduler: SlotScheduler;
  readonly costs: Pick<UnsettledCosts, "byQueue">;
  readonly onReply: (reply: PulseReply) => void;
  readonly onError: (error: unknown) => void;
}

/** What else a lane hears of a failure. */
interface LaneTrouble {
  readonly retryAfterMs?: number | undefined;
  readonly slows?: boolean;
}

/** Between two pulses when nothing calls for one sooner. */
const QUIET_MS = 300;
/** …and of a worker that has nothing to report and nobody to stop. */
const IDLE_MS = 1000;

/**
 * The only contact with the ledger beside the two doors: renews leases, books slots for hops, gives unused ones back, and reports
 * outcomes at once, so that the brakes do not wait for a segment to be sealed.
 */
export class Pulse {
  readonly #options: PulseOptions;
  #outcomes: OutcomeReport[] = [];
  #lanes = new Map<string, LaneReport>();
  #crawlDelays: { lane: string; delayMs: number }[] = [];
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

  /** Something waits for an answer: as soon as the current turn of the event loop is over. */
  need(): void {
    this.#schedule(0);
  }

  /** More slots are wanted than are at inFlight. While its lane has some ahead it loses nothing by waiting, and others may join. */
  needSlots(): void {
    this.#schedule(this.#slotsNeededInMs());
  }

  /** Something was taken in inFlight. */
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

  /** Before more items are taken, the ledger hears of those that went wrong: else a broken site gets as many again. */
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

  crawlDelay(lane: string, delayMs: number): void {
    this.#crawlDelays.push({ lane, delayMs });
    this.need();
  }

  /** Resolves when the ledger has it, durably, that this item's acting request is about to leave. */
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
      // As it is when the ledger reads it: a claim may come first while this waits for the ledger's lock.
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
      crawlDelays: this.#crawlDelays,
    };
    this.#outcomes = [];
    this.#hasBadNews = false;
    this.#lanes = new Map();
    this.#crawlDelays = [];
    this.#acting = [];
    let wishAgainInMs = 1;
    try {
      const reply = await ledger.pulse(report);
      const lost = reply.isAlive
        ? undefined
        : new StopError("the lease had ended before the acting request left");
      // What has stopped comes first: neither a slot nor an open lane may let its requests go.
      onReply(reply);
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
