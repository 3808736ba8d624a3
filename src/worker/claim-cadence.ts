import type { Grant } from "../ports/ledger.ts";

/** Time between claims, unless something calls for an earlier one. Slots are booked a second ahead, so no lane idles. */
export const CLAIM_EVERY_MS = 250;
/** The same when the ledger expects nothing and would wake the worker. Claims are still needed: they end the leases of silent workers. */
const CLAIM_AT_LEAST_MS = 2000;
/**
 * Wait after a claim is due, so that one claim serves all items that end within it. It is a timer and not a look at the clock: a timer fires after
 * pending events, so a busy machine collects more.
 */
export const GATHER_MS = 2;
/** How long before a lane's last slot the next ones are requested. */
export const BEFORE_LAST_SLOT_MS = 50;
/** A full worker claims when this share of its capacity is free, or when it is time to. */
const WORTH_ASKING = 1 / 8;

/** Items that ended since the last claim. */
interface Freed {
  /** When this worker's last slot in the lane is due; -Infinity if it has none. */
  readonly lastSlotAt: number;
  /** How many more items the worker can take. */
  readonly room: number;
}

/**
 * Decides when the next claim is worthwhile. The ledger says whether it has more at once, and whether it lacked places: then a free place is filled
 * before its lane has used its last slot. Everything else waits for the regular time.
 */
export class ClaimCadence {
  readonly #capacity: number;
  readonly #now: () => number;
  #nextAt = 0;
  /** Not earlier without a reason. */
  #soonAt = 0;
  #isFull = false;
  #isCrowded = false;

  constructor(capacity: number, now: () => number = () => performance.now()) {
    this.#capacity = capacity;
    this.#now = now;
  }

  /** `room`: what the claim requested. */
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

  /** The ledger probably has something now. */
  soon(): void {
    this.#nextAt = Math.min(this.#nextAt, this.#now());
  }

  /** An item has ended: if places were lacking, another can take its place. */
  freed({ lastSlotAt, room }: Freed): void {
    if (!this.#isFull && !this.#isCrowded) return;
    if (this.#isFull && room >= this.#capacity * WORTH_ASKING) this.soon();
    else this.#nextAt = Math.min(this.#nextAt, Math.max(this.#now(), lastSlotAt - BEFORE_LAST_SLOT_MS));
  }

  get waitMs(): number {
    return this.#nextAt - this.#now();
  }
}

/** Wakes one loop that waits for a signal or a timeout, whichever comes first. */
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
