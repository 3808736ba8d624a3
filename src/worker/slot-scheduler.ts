import { StopError } from "../domain/failure.ts";
import type { SlotGrant, SlotRefund, SlotWish } from "../ports/ledger.ts";

/** An item that waits for a slot. */
export interface SlotSeeker {
  readonly queue: number;
  readonly seq: number;
}

interface Waiter {
  readonly seeker: SlotSeeker;
  readonly resolve: (slot: TakenSlot) => void;
  readonly reject: (error: Error) => void;
}

/** A slot that was taken: whether a request may still start in it. */
export type TakenSlot = () => boolean;

const WITHOUT_RHYTHM: TakenSlot = () => true;

interface Slot {
  readonly dueAt: number;
  readonly lateMs: number;
}

interface LaneSlots {
  readonly lane: string;
  /** For a queue with its own pace: only its requests wait here. */
  readonly queue: number | undefined;
  /** The lane of an address: requests also need a slot of that lane. */
  readonly address: string | undefined;
  readonly waiters: Waiter[];
  slots: Slot[];
  timer: NodeJS.Timeout | undefined;
}

/**
 * Requests wait here for their slots, on the monotonic clock of this process. A slot is used on time or a little later. A slot that is too late is void
 * and booked again, so that a process that was paused never sends a burst.
 */
export class SlotScheduler {
  /** By lane; also by queue if the queue has its own pace, and by address if that is paced. */
  readonly #lanes = new Map<string, LaneSlots>();
  /** Queues with their own pace, according to the slots of their items. */
  readonly #own = new Set<number>();
  /** Slots charged to a queue minus those that its requests used, by lane and queue. */
  readonly #charged = new Map<string, SlotRefund>();
  /** Items that got a slot with their claim and have not used it yet, with their lane. */
  readonly #coming = new Map<SlotSeeker, string>();
  /** Lanes without a rate, as of the last answer of the ledger: requests start at once. */
  readonly #open = new Set<string>();
  readonly #onNeed: () => void;
  readonly #now: () => number;

  /** `onNeed` is called when more slots are needed than are booked. */
  constructor(onNeed: () => void, now: () => number = () => performance.now()) {
    this.#onNeed = onNeed;
    this.#now = now;
  }

  /** Resolves when a request may start in this lane. It must start at once; a caller that has to wait checks the slot again. */
  take(lane: string, seeker: SlotSeeker, address?: string): Promise<TakenSlot> {
    const queue = this.#own.has(seeker.queue) ? seeker.queue : undefined;
    if (queue === undefined && address === undefined && this.#open.has(lane))
      return Promise.resolve(WITHOUT_RHYTHM);
    return new Promise((resolve, reject) => {
      this.#coming.delete(seeker);
      const scheduler = this.#scheduler(lane, queue, address);
      scheduler.waiters.push({ seeker, resolve, reject });
      if (scheduler.slots.length < scheduler.waiters.length) this.#onNeed();
      this.#serve(scheduler);
    });
  }

  /** When the last booked slot for such a request is due; -Infinity if there is none. */
  lastSlotAt(lane: string, { queue }: SlotSeeker): number {
    const scheduler = this.#lanes.get(keyOf(lane, this.#own.has(queue) ? queue : undefined));
    return scheduler?.slots.at(-1)?.dueAt ?? -Infinity;
  }

  /** A claimed item will use the slot that came with it, unless it is forgotten first. */
  expect(lane: string, seeker: SlotSeeker): void {
    this.#coming.set(seeker, lane);
  }

  forget(seeker: SlotSeeker): void {
    this.#coming.delete(seeker);
  }

  /** The slot was taken too late: no request started in it. */
  missed(lane: string, { queue }: SlotSeeker): void {
    this.#charge(lane, queue, 1);
  }

  /** Slots from the ledger, as delays from now. `again`: from the request that they answer. */
  grant({ lane, queue, isOwn, address, delaysMs, lateMs }: SlotGrant, again = 0): void {
    if (isOwn) this.#own.add(queue);
    this.#charge(lane, queue, Math.max(0, delaysMs.length - again));
    const scheduler = this.#scheduler(lane, isOwn ? queue : undefined, address);
    const now = this.#now();
    scheduler.slots = [...scheduler.slots, ...delaysMs.map((delay) => ({ dueAt: now + delay, lateMs }))].sort(
      (a, b) => a.dueAt - b.dueAt,
    );
    this.#serve(scheduler);
  }

  /** The lane has no rate: all requests start at once, until it is closed. */
  open(lane: string): void {
    this.#open.add(lane);
    const scheduler = this.#lanes.get(lane);
    if (!scheduler) return;
    for (const waiter of scheduler.waiters.splice(0)) waiter.resolve(WITHOUT_RHYTHM);
    this.#forgetIdle(scheduler);
  }

  /** The next request asks the ledger again. */
  close(lane: string): void {
    this.#open.delete(lane);
  }

  /** The ledger's answer about all lanes in use. */
  setOpen(lanes: readonly string[]): void {
    this.#open.clear();
    for (const lane of lanes) this.open(lane);
  }

  /** Addresses no longer have a rate: requests wait for their lane only. */
  forgetAddresses(): void {
    for (const scheduler of this.#lanes.values()) {
      if (scheduler.address === undefined) continue;
      const { waiters, slots } = scheduler;
      const lane = this.#scheduler(scheduler.lane, scheduler.queue);
      lane.waiters.push(...waiters.splice(0));
      lane.slots = [...lane.slots, ...slots.splice(0)].sort((a, b) => a.dueAt - b.dueAt);
      this.#forgetIdle(scheduler);
      this.#serve(lane);
    }
  }

  /** When more slots must be booked so that no lane idles; Infinity if none are needed. */
  neededAt(): number {
    let first = Infinity;
    for (const { waiters, slots } of this.#lanes.values())
      if (waiters.length > slots.length) first = Math.min(first, slots.at(-1)?.dueAt ?? -Infinity);
    return first;
  }

  wishes(): SlotWish[] {
    const wishes: SlotWish[] = [];
    for (const { lane, address, waiters, slots } of this.#lanes.values()) {
      const byQueue = new Map<number, number>();
      for (const { seeker } of waiters.slice(slots.length))
        byQueue.set(seeker.queue, (byQueue.get(seeker.queue) ?? 0) + 1);
      for (const [queue, count] of byQueue) {
        const held = waiters.slice(0, slots.length).filter(({ seeker }) => seeker.queue === queue).length;
        const charged = (this.#charged.get(keyOf(lane, queue))?.count ?? 0) - held;
        const again = Math.min(count, Math.max(0, charged));
        wishes.push({
          lane,
          queue,
          count,
          ...(again > 0 && { again }),
          ...(address !== undefined && { address }),
        });
      }
    }
    return wishes;
  }

  /** Removes slots that no request here waits for, so that other workers can use them; the latest, which leave them the most time. */
  returns(): { readonly lane: string; readonly delaysMs: readonly number[] }[] {
    const returns = [];
    const now = this.#now();
    for (const scheduler of this.#lanes.values()) {
      const spare = scheduler.slots.splice(scheduler.waiters.length);
      this.#forgetIdle(scheduler);
      const delaysMs = spare.map(({ dueAt }) => dueAt - now).filter((delay) => delay > 0);
      if (delaysMs.length > 0) returns.push({ lane: scheduler.lane, delaysMs });
    }
    return returns;
  }

  /** Slots charged to queues that will not use them, and slots that they used of others. Each is reported once. */
  refunds(): SlotRefund[] {
    const claims = new Map<string, number>();
    const claim = (key: string): void => void claims.set(key, (claims.get(key) ?? 0) + 1);
    for (const { lane, waiters } of this.#lanes.values())
      for (const { seeker } of waiters) claim(keyOf(lane, seeker.queue));
    for (const [{ queue }, lane] of this.#coming) claim(keyOf(lane, queue));
    const refunds = [...this.#charged].flatMap(([key, { count, ...of }]) => {
      const kept = Math.min(Math.max(0, count), claims.get(key) ?? 0);
      return kept === count ? [] : { ...of, count: count - kept };
    });
    for (const { lane, queue, count } of refunds) this.#charge(lane, queue, -count);
    return refunds;
  }

  /** No more requests may start for these. */
  stop(isStopped: (seeker: SlotSeeker) => boolean, reason: string): void {
    for (const scheduler of this.#lanes.values()) {
      const stopped = scheduler.waiters.filter(({ seeker }) => isStopped(seeker));
      if (stopped.length === 0) continue;
      const left = scheduler.waiters.filter(({ seeker }) => !isStopped(seeker));
      scheduler.waiters.splice(0, scheduler.waiters.length, ...left);
      for (const { reject } of stopped) reject(new StopError(reason));
    }
  }

  #charge(lane: string, queue: number, count: number): void {
    const key = keyOf(lane, queue);
    const sum = (this.#charged.get(key)?.count ?? 0) + count;
    if (sum === 0) this.#charged.delete(key);
    else this.#charged.set(key, { lane, queue, count: sum });
  }

  #scheduler(lane: string, queue?: number, address?: string): LaneSlots {
    const key = keyOf(lane, queue, address);
    let scheduler = this.#lanes.get(key);
    if (!scheduler)
      this.#lanes.set(key, (scheduler = { lane, queue, address, waiters: [], slots: [], timer: undefined }));
    return scheduler;
  }

  #forgetIdle(scheduler: LaneSlots): void {
    if (scheduler.waiters.length > 0 || scheduler.slots.length > 0) return;
    clearTimeout(scheduler.timer);
    this.#lanes.delete(keyOf(scheduler.lane, scheduler.queue, scheduler.address));
  }

  #serve(scheduler: LaneSlots): void {
    clearTimeout(scheduler.timer);
    scheduler.timer = undefined;
    let isShort = false;
    for (;;) {
      const slot = scheduler.slots[0];
      if (!slot) break;
      const now = this.#now();
      if (slot.dueAt > now) {
        // A timer may fire a little early: set it again.
        if (scheduler.waiters.length > 0)
          scheduler.timer = setTimeout(() => this.#serve(scheduler), Math.ceil(slot.dueAt - now));
        break;
      }
      const isInTime: TakenSlot = () => this.#now() - slot.dueAt <= slot.lateMs;
      if (!isInTime()) {
        scheduler.slots.shift();
        isShort = true;
        continue;
      }
      const waiter = scheduler.waiters.shift();
      if (!waiter) break;
      scheduler.slots.shift();
      this.#charge(scheduler.lane, waiter.seeker.queue, -1);
      waiter.resolve(isInTime);
    }
    if (isShort && scheduler.slots.length < scheduler.waiters.length) this.#onNeed();
  }
}

const keyOf = (lane: string, queue?: number, address?: string): string =>
  queue === undefined && address === undefined ? lane : `${lane}\n${queue ?? ""}\n${address ?? ""}`;
