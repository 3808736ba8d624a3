import type { CollectorKind } from "../domain/job-version.ts";
import type { ItemRef } from "../domain/item.ts";
import type { ClaimedItem, Grant, Ledger } from "../ports/ledger.ts";

interface ClaimOptions {
  readonly ledger: Pick<Ledger, "claim">;
  readonly worker: string;
  /** Items that may be in flight at once, over all lanes. */
  readonly capacity: number;
  /** Limit on items that are not settled yet, so that a slow disk slows down fetching. */
  readonly maxUnsettled: number;
  readonly jobs?: readonly string[];
  readonly lanes?: readonly string[];
  readonly kinds?: readonly CollectorKind[];
  readonly isAlone?: boolean;
  /** Items of jobs that need a browser which may be in flight at once; they are then claimed separately. */
  readonly browserCapacity?: number;
}

/** How often jobs that need a browser are looked for while there are none. */
const LOOK_FOR_BROWSER_MS = 2000;

/**
 * The worker's items in flight: claimed, and not finished collecting. The ledger gives only items whose lane has room, each with its first slot, so no
 * item here waits for a slot that it may never get.
 */
export class InFlightItems {
  readonly #options: ClaimOptions;
  readonly #items = new Set<ClaimedItem>();
  readonly #byLane = new Map<string, number>();
  readonly #inBrowser = new Set<ClaimedItem>();
  #lookAgainAt = 0;
  #unsettled = 0;
  /** At most the capacity. */
  #limit: number;

  constructor(options: ClaimOptions) {
    this.#options = options;
    this.#limit = options.capacity;
  }

  /** This machine cannot handle this many items: halve the limit. */
  halve(): void {
    this.#limit = Math.max(1, Math.floor(Math.min(this.#limit, this.#items.size) / 2));
  }

  /** An item has succeeded: the limit grows by one after as many as it allows. */
  grow(): void {
    if (this.#limit < this.#options.capacity) this.#limit += 1 / this.#limit;
  }

  get size(): number {
    return this.#items.size;
  }

  get unsettled(): number {
    return this.#unsettled;
  }

  get room(): number {
    return Math.min(Math.floor(this.#limit) - this.#items.size, this.#options.maxUnsettled - this.#unsettled);
  }

  /** The jobs of the items in flight. */
  get jobs(): ReadonlySet<string> {
    return new Set(this.#items.values().map(({ job }) => job));
  }

  /** By lane: the ledger counts these against the lane's concurrency. */
  get byLane(): ReadonlyMap<string, number> {
    return this.#byLane;
  }

  /** The suspects if this process dies. */
  get running(): readonly ItemRef[] {
    return [...this.#items];
  }

  async claim(): Promise<Grant> {
    const { kinds, browserCapacity, isAlone } = this.#options;
    if (browserCapacity === undefined || isAlone) return await this.#claim(this.room, kinds);
    const takesHttp = kinds?.includes("http") ?? true;
    const grant = takesHttp ? await this.#claim(this.room, ["http"]) : undefined;
    const room = Math.min(this.room, browserCapacity - this.#inBrowser.size);
    const now = performance.now();
    if (room <= 0 || (grant && now < this.#lookAgainAt)) return grant ?? { ...NOTHING, isCrowded: true };
    // These jobs may also have items that need no browser.
    const more = await this.#claim(room, kinds);
    for (const item of more.items) this.#inBrowser.add(item);
    this.#lookAgainAt = this.#inBrowser.size > 0 ? now : now + LOOK_FOR_BROWSER_MS;
    return grant ? joined(grant, more) : more;
  }

  async #claim(room: number, kinds: ClaimOptions["kinds"]): Promise<Grant> {
    const { ledger, worker, jobs, lanes, isAlone } = this.#options;
    const grant = await ledger.claim({
      worker,
      room,
      inFlight: this.#byLane,
      running: this.running,
      ...(jobs && { jobs }),
      ...(lanes && { lanes }),
      ...(kinds && { kinds }),
      ...(isAlone && { alone: true }),
    });
    for (const item of grant.items) {
      this.#items.add(item);
      this.#byLane.set(item.lane, (this.#byLane.get(item.lane) ?? 0) + 1);
    }
    this.#unsettled += grant.items.length;
    return grant;
  }

  /** It makes no more requests: its lane has a free place. False if it was released already. */
  release(item: ClaimedItem): boolean {
    if (!this.#items.delete(item)) return false;
    this.#inBrowser.delete(item);
    const left = (this.#byLane.get(item.lane) ?? 1) - 1;
    if (left === 0) this.#byLane.delete(item.lane);
    else this.#byLane.set(item.lane, left);
    return true;
  }

  settled(count: number): void {
    this.#unsettled -= count;
  }
}

const NOTHING: Grant = { items: [], slots: [], unpaced: [], suspects: 0 };

/** Two answers as one. */
const joined = (one: Grant, other: Grant): Grant => {
  const againInMs = Math.min(one.againInMs ?? Infinity, other.againInMs ?? Infinity);
  return {
    items: [...one.items, ...other.items],
    slots: [...one.slots, ...other.slots],
    unpaced: [...one.unpaced, ...other.unpaced],
    suspects: Math.max(one.suspects, other.suspects),
    ...(againInMs < Infinity && { againInMs }),
    ...((one.isCrowded || other.isCrowded) && { isCrowded: true }),
    ...((one.pacesAddresses || other.pacesAddresses) && { pacesAddresses: true }),
  };
};
