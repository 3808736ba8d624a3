import { StopError } from "../model/stop-error.ts";
import type { SlotGrant, SlotWish } from "../ports/ledger.ts";

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

interface LaneDesk {
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
export class SlotDesk {
  /** By lane; those of a queue with a pace of its own by queue too, and those whose address is paced by that. */
  readonly #lanes = new Map<string, LaneDesk>();
  /** Queues with a pace of their own, as the slots of their items say. */
  readonly #own = new Set<number>();
  /** Lanes without a rhythm, as the ledger last said: requests start at once. */
  readonly #open = new Set<string>();
  readonly #onNeed: () => void;
  readonly #now: () => number;

  /** `onNeed` is called when more slots are wanted than are at hand. */
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
      const desk = this.#desk(lane, queue, address);
      desk.waiters.push({ seeker, resolve, reject });
      if (desk.slots.length < desk.waiters.length) this.#onNeed();
      this.#serve(desk);
    });
  }

  /** Slots from the ledger, as delays from now. */
  grant({ lane, queue, address, delaysMs, lateMs }: SlotGrant): void {
    if (queue !== undefined) this.#own.add(queue);
    const desk = this.#desk(lane, queue, address);
    const now = this.#now();
    desk.slots = [...desk.slots, ...delaysMs.map((delay) => ({ dueAt: now + delay, lateMs }))].sort(
      (a, b) => a.dueAt - b.dueAt,
    );
    this.#serve(desk);
  }

  /** The lane has no rhythm: all who wait may go, and those who come until it is closed. */
  open(lane: string): void {
    this.#open.add(lane);
    const desk = this.#lanes.get(lane);
    if (!desk) return;
    for (const waiter of desk.waiters.splice(0)) waiter.resolve(WITHOUT_RHYTHM);
    this.#forgetIdle(desk);
  }

  /** Whoever comes next asks the ledger again. */
  close(lane: string): void {
    this.#open.delete(lane);
  }

  /** The ledger's word on all lanes in hand. */
  setOpen(lanes: readonly string[]): void {
    this.#open.clear();
    for (const lane of lanes) this.open(lane);
  }

  wishes(): SlotWish[] {
    const wishes: SlotWish[] = [];
    for (const { lane, address, waiters, slots } of this.#lanes.values()) {
      const byQueue = new Map<number, number>();
      for (const { seeker } of waiters.slice(slots.length))
        byQueue.set(seeker.queue, (byQueue.get(seeker.queue) ?? 0) + 1);
      for (const [queue, count] of byQueue)
        wishes.push({ lane, queue, count, ...(address !== undefined && { address }) });
    }
    return wishes;
  }

  /** Slots nobody here waits for, taken out for others; the latest, which leave the others the most time. */
  returns(): { readonly lane: string; readonly delaysMs: readonly number[] }[] {
    const returns = [];
    const now = this.#now();
    for (const desk of this.#lanes.values()) {
      const spare = desk.slots.splice(desk.waiters.length);
      this.#forgetIdle(desk);
      const delaysMs = spare.map(({ dueAt }) => dueAt - now).filter((delay) => delay > 0);
      if (delaysMs.length > 0) returns.push({ lane: desk.lane, delaysMs });
    }
    return returns;
  }

  /** No request may start any more for these. */
  stop(isStopped: (seeker: SlotSeeker) => boolean, reason: string): void {
    for (const desk of this.#lanes.values()) {
      const stopped = desk.waiters.filter(({ seeker }) => isStopped(seeker));
      if (stopped.length === 0) continue;
      const left = desk.waiters.filter(({ seeker }) => !isStopped(seeker));
      desk.waiters.splice(0, desk.waiters.length, ...left);
      for (const { reject } of stopped) reject(new StopError(reason));
    }
  }

  #desk(lane: string, queue?: number, address?: string): LaneDesk {
    const key = keyOf(lane, queue, address);
    let desk = this.#lanes.get(key);
    if (!desk)
      this.#lanes.set(key, (desk = { lane, queue, address, waiters: [], slots: [], timer: undefined }));
    return desk;
  }

  #forgetIdle(desk: LaneDesk): void {
    if (desk.waiters.length > 0 || desk.slots.length > 0) return;
    clearTimeout(desk.timer);
    this.#lanes.delete(keyOf(desk.lane, desk.queue, desk.address));
  }

  #serve(desk: LaneDesk): void {
    clearTimeout(desk.timer);
    desk.timer = undefined;
    let isShort = false;
    for (;;) {
      const slot = desk.slots[0];
      if (!slot) break;
      const now = this.#now();
      if (slot.dueAt > now) {
        // A timer may fire a little early: then it is set again.
        if (desk.waiters.length > 0)
          desk.timer = setTimeout(() => this.#serve(desk), Math.ceil(slot.dueAt - now));
        break;
      }
      const isInTime: TakenSlot = () => this.#now() - slot.dueAt <= slot.lateMs;
      if (!isInTime()) {
        desk.slots.shift();
        isShort = true;
        continue;
      }
      const waiter = desk.waiters.shift();
      if (!waiter) break;
      desk.slots.shift();
      waiter.resolve(isInTime);
    }
    if (isShort && desk.slots.length < desk.waiters.length) this.#onNeed();
  }
}

const keyOf = (lane: string, queue: number | undefined, address: string | undefined): string =>
  queue === undefined && address === undefined ? lane : `${lane}\n${queue ?? ""}\n${address ?? ""}`;
