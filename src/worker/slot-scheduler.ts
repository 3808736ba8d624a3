import { StopError } from "../domain/failure.ts";
import type { SlotGrant, SlotRefund, SlotWish } from "../ports/ledger.ts";

/** Who waits: an item, for one of its requests. */
export interface SlotSeeker {
  readonly queue: number;
  readonly seq: number;
}

interface Waiter {
  readonly seeker: SlotSeeker;
  readonly resolve: (slot: TakenSlot) => void;
  readonly reject: (error: Error) => void;
}

/** A slot in use: may a request still start in it? */
export type TakenSlot = () => boolean;

const WITHOUT_RHYTHM: TakenSlot = () => true;

interface Slot {
  readonly dueAt: number;
  readonly lateMs: number;
}

interface LaneSlots {
  readonly lane: string;
  /** Of a queue with a pace of its own: only its requests wait here. */
  readonly queue: number | undefined;
  /** The lane of an address: its requests need a slot of that as well. */
  readonly address: string | undefined;
  readonly waiters: Waiter[];
  slots: Slot[];
  timer: NodeJS.Timeout | undefined;
}

/**
 * Where requests wait for their slots, on this process's monotonic clock. A slot is used at its time or a little later; one that is too
 * late is void and booked again, so that a process that was paused never fires a burst.
 */
export class SlotScheduler {
  /** By lane; those of a queue with a pace of its own by queue too, and those whose address is paced by that. */
  readonly #lanes = new Map<string, LaneSlots>();
  /** Queues with a pace of their own, as the slots of their items say. */
  readonly #own = new Set<number>();
  /** Slots that were charged to a queue, less those that its requests have used; by lane and queue. */
  readonly #charged = new Map<string, SlotRefund>();
  /** Items that have a slot by their claim, and have not asked for it yet: with their lane. */
  readonly #coming = new Map<SlotSeeker, string>();
  /** Lanes without a rhythm, as the ledger last said: requests start at once. */
  readonly #open = new Set<string>();
  readonly #onNeed: () => void;
  readonly #now: () => number;

  /** `onNeed` is called when more slots are wanted than are at inFlight. */
  constructor(onNeed: () => void, now: () => number = () => performance.now()) {
    this.#onNeed = onNeed;
    this.#now = now;
  }

  /** Resolves when a request may start in this lane. It must start at once; whoever has to wait for something asks the slot again. */
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

  /** When the last slot is due that is at inFlight for such a request; -Infinity where there is none. */
  lastSlotAt(lane: string, { queue }: SlotSeeker): number {
    const scheduler = this.#lanes.get(keyOf(lane, this.#own.has(queue) ? queue : undefined));
    return scheduler?.slots.at(-1)?.dueAt ?? -Infinity;
  }

  /** A claimed item will ask for the slot that came with it, unless it is forgotten before. */
  expect(lane: string, seeker: SlotSeeker): void {
    this.#coming.set(seeker, lane);
  }

  forget(seeker: SlotSeeker): void {
    this.#coming.delete(seeker);
  }

  /** No request has started in the slot that was taken: it was too late. */
  missed(lane: string, { queue }: SlotSeeker): void {
    this.#charge(lane, queue, 1);
  }

  /** Slots from the ledger, as delays from now. `again`: of the wish that they answer. */
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

  /** The lane has no rhythm: all who wait may go, and those who come until it is closed. */
  open(lane: string): void {
    this.#open.add(lane);
    const scheduler = this.#lanes.get(lane);
    if (!scheduler) return;
    for (const waiter of scheduler.waiters.splice(0)) waiter.resolve(WITHOUT_RHYTHM);
    this.#forgetIdle(scheduler);
  }

  /** Whoever comes next asks the ledger again. */
  close(lane: string): void {
    this.#open.delete(lane);
  }

  /** The ledger's word on all lanes in inFlight. */
  setOpen(lanes: readonly string[]): void {
    this.#open.clear();
    for (const lane of lanes) this.open(lane);
  }

  /** Addresses have no rate any more: whoever waits for a slot of one waits for the lane alone. */
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

  /** When slots must be at inFlight that nobody has booked yet, so that no lane idles; Infinity where none are wanted. */
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

  /** Slots nobody here waits for, taken out for others; the latest, which leave the others the most time. */
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

  /** What was charged to queues and nobody of theirs waits for or will come for, and what they used of others': told once. */
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

  /** No request may start any more for these. */
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
        // A timer may fire a little early: then it is set again.
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
