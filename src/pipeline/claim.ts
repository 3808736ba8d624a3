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
}

/**
 * The worker's items in flight: claimed, and not finished collecting. The ledger gives only items whose lane has room, each with its first slot, so no
 * item here waits for a slot that it may never get.
 */
export class InFlightItems {
  readonly #options: ClaimOptions;
  readonly #items = new Set<ClaimedItem>();
  readonly #byLane = new Map<string, number>();
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
    const { ledger, worker, jobs, lanes, kinds, isAlone } = this.#options;
    const grant = await ledger.claim({
      worker,
      room: this.room,
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
    const left = (this.#byLane.get(item.lane) ?? 1) - 1;
    if (left === 0) this.#byLane.delete(item.lane);
    else this.#byLane.set(item.lane, left);
    return true;
  }

  settled(count: number): void {
    this.#unsettled -= count;
  }
}
