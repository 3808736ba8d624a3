import type { Grant } from "../ports/ledger.ts";

/** Between two claims when nothing calls for one sooner. Slots are booked a second ahead: no lane idles by it. */
export const CLAIM_EVERY_MS = 250;
/** …where the ledger expects nothing sooner, and would report. Also then: a claim ends the leases of workers that are silent. */
const CLAIM_AT_LEAST_MS = 2000;
/**
 * From the moment at which a claim is due: items that end within this time are followed by one claim for all of them. A timer of its own, not a
 * look at the clock: it fires when all that has arrived is worked off, so that on a busy machine the more come together.
 */
export const GATHER_MS = 2;
/** So long before a lane's last slot the next ones are asked for. */
export const BEFORE_LAST_SLOT_MS = 50;
/** A worker whose hands were full asks when so large a part of them is free, or when it is time to. */
const WORTH_ASKING = 1 / 8;

/** What is known of the items that ended since the last claim. */
interface Freed {
  /** When the last slot of its lane is due that this worker holds; -Infinity where there are none. */
  readonly lastSlotAt: number;
  /** How many more items the worker can take now. */
  readonly room: number;
}

/**
 * When the next claim is worthwhile. The ledger says whether more is to be had at once, or whether places were lacking: then one that is free
 * again is filled before its lane has used the last slot at inFlight. Everything else waits for the regular time, and comes together.
 */
export class ClaimCadence {
  readonly #capacity: number;
  readonly #now: () => number;
  #nextAt = 0;
  /** Not sooner without a reason of its own. */
  #soonAt = 0;
  #isFull = false;
  #isCrowded = false;

  constructor(capacity: number, now: () => number = () => performance.now()) {
    this.#capacity = capacity;
    this.#now = now;
  }

  /** `room`: what was asked for. */
  asked(grant: Pick<Grant, "items" | "againInMs" | "isCrowded">, room: number): void {
    this.#isFull = grant.items.length >= room;
    this.#isCrowded = grant.isCrowded ?? false;
    const { againInMs = Infinity } = grant;
    const isMore = againInMs === 0 && !this.#isFull;
    const longestMs = this.#isCrowded || this.#isFull ? CLAIM_EVERY_MS : CLAIM_AT_LEAST_MS;
    const waitMs = isMore ? 0 : Math.min(Math.max(againInMs, CLAIM_EVERY_MS), longestMs);
    this.#soonAt = this.#now() + Math.min(waitMs, CLAIM_EVERY_MS);
    this.#nextAt = this.#now() + waitMs;
  }

  /** The ledger has something new. */
  heard(): void {
    this.#nextAt = Math.min(this.#nextAt, this.#soonAt);
  }

  /** There is reason to believe that the ledger has something now. */
  soon(): void {
    this.#nextAt = Math.min(this.#nextAt, this.#now());
  }

  /** An item has ended: where places were lacking, another can have its own. */
  freed({ lastSlotAt, room }: Freed): void {
    if (!this.#isFull && !this.#isCrowded) return;
    if (this.#isFull && room >= this.#capacity * WORTH_ASKING) this.soon();
    else this.#nextAt = Math.min(this.#nextAt, Math.max(this.#now(), lastSlotAt - BEFORE_LAST_SLOT_MS));
  }

  get waitMs(): number {
    return this.#nextAt - this.#now();
  }
}

/** Wakes one loop that waits for whichever comes first: a ring or a time. */
export class WakeSignal {
  #ring: (() => void) | undefined;
  #isRung = false;

  ring(): void {
    this.#isRung = true;
    this.#ring?.();
  }

  async wait(ms: number): Promise<void> {
    if (!this.#isRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#ring = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isRung = false;
    this.#ring = undefined;
  }
}
