/**
 * Books the starts of requests in a lane, on the ledger's clock, by the generic cell rate algorithm (GCRA).
 *
 * A slot may be used late, so a part of the burst is kept back for lateness. With interval T, burst B, b = `atOnce(B)` slots
 * bookable at the same moment and lateness at most L, n slots span at least (n − b)T and their uses at least (n − b)T − L.
 * - B > 1: L = (B − b − ½)T, so n uses span more than (n − B)T: every window W sees fewer than W/T + B of them.
 * - B = 1: L = T/2, so n uses span at least (n − 1½)T: a window of k whole intervals (one second, at a whole number per
 *   second) sees at most k + 1, any other at most one more than the whole intervals that cover it.
 * A use is the first byte of the request: opening a connection is part of L. What is left, half an interval, is for what the network
 * and the site add.
 */
export interface SlotBook {
  /** Theoretical time of the latest slot. With a burst, slots lie up to `atOnce − 1` intervals before it. */
  readonly tat: number;
  /** In force when `tat` last moved. It limits how far ahead `tat` may be, and how close together spare slots may be. */
  readonly intervalMs: number;
  /** Booked, returned and still in the future; ascending. */
  readonly spare: readonly number[];
  /** Theoretical times of slots that are out beyond `tat`, ascending: those in between are free, an interval away from each of these. */
  readonly ahead: readonly number[];
}

interface SlotRequest {
  readonly nowMs: number;
  readonly count: number;
  /** 0 for a lane without a rate. */
  readonly intervalMs: number;
  readonly burst: number;
  /** No slot before this (`Retry-After`, a held lane); 0 for none. */
  readonly holdUntilMs: number;
}

interface Booking {
  readonly book: SlotBook;
  /** Absolute times, ascending; fewer than asked for when the lane has no more room. */
  readonly slots: readonly number[];
}

export const EMPTY_BOOK: SlotBook = { tat: 0, intervalMs: 0, spare: [], ahead: [] };

const AHEAD_MS = 1000;
/** The lowest rate, whatever the reason: one request per day. */
const LONGEST_INTERVAL_MS = 86_400_000;
/** Slots out beyond `tat`; with more of them, a slot is booked only when its time has come. */
const MOST_AHEAD = 256;
/** Intervals are rounded up to this grain: sums with a time of day are then exact, and no window gains a slot by rounding. */
const GRAINS_PER_MS = 1024;

/** One up to 20 a second, then what 50 ms hold. */
export const defaultBurst = (perSecond: number): number =>
  Number.isFinite(perSecond) ? Math.max(1, Math.floor(perSecond / 20)) : 1;

const ascending = (a: number, b: number): number => a - b;

const atOnce = (burst: number): number => Math.max(1, Math.floor(burst / 2));

/** A slot used later than this after its time is void. */
export const lateToleranceMs = (intervalMs: number, burst: number): number =>
  intervalMs === 0 ? Infinity : Math.max(0.5, burst - atOnce(burst) - 0.5) * intervalMs;

/** At most one second ahead or one slot, whichever is longer. */
const aheadMs = (intervalMs: number): number => Math.max(AHEAD_MS, intervalMs);

export function bookSlots(before: SlotBook, request: SlotRequest): Booking {
  const { nowMs, count } = request;
  const intervalMs = grained(request.intervalMs);
  const earliest = Math.max(nowMs, request.holdUntilMs);
  const latest = nowMs + aheadMs(intervalMs);
  if (count <= 0 || earliest > latest) return { book: before, slots: [] };
  if (intervalMs === 0) {
    const slots = Array.from({ length: count }, () => earliest);
    return { book: { ...EMPTY_BOOK, tat: Math.max(before.tat, earliest) }, slots };
  }
  const leadMs = leadOf(request.burst, intervalMs);
  const book = currentBook(before, intervalMs, leadMs, nowMs);
  const spare = book.spare.filter((slot) => slot >= earliest);
  const slots = spare.splice(0, count);
  let { tat } = book;
  while (slots.length < count) {
    const time = freeTime(book.ahead, Math.max(tat + intervalMs, earliest), intervalMs);
    const slot = Math.max(earliest, time - leadMs);
    if (slot > latest) break;
    slots.push(slot);
    tat = time;
  }
  return { book: { ...moved(book, tat, intervalMs), spare }, slots: slots.toSorted(ascending) };
}

/** A job's own limit, beside that of the lane. */
export interface OwnPace {
  /** Theoretical time of its latest slot. */
  readonly tat: number;
  readonly intervalMs: number;
  readonly burst: number;
}

/** The limit of an address that several lanes lead to: their slots are interleaved. */
export interface SharedPace {
  /** Theoretical times of the slots that are out, ascending. */
  readonly times: readonly number[];
  readonly intervalMs: number;
  readonly burst: number;
}

interface Limits {
  readonly own?: OwnPace | undefined;
  readonly shared?: SharedPace | undefined;
}

interface OwnBooking extends Booking {
  /** Of the own limit, and of the shared one. */
  readonly tat: number;
  readonly times: readonly number[];
  /** When the next slot can be booked, as far as these limits go; 0 where only the lane keeps it waiting. */
  readonly againAtMs: number;
  /** The shared limit has no more room. */
  readonly isFull: boolean;
}

/**
 * Books slots that keep other limits beside that of the lane. A slot that is later than the lane's next one leaves the earlier ones to others: the
 * lane continues at its rate. If others have booked the lane's next slots, it fits between them and takes nothing from them.
 */
export function bookOwnSlots(before: SlotBook, { own, shared }: Limits, request: SlotRequest): OwnBooking {
  const { nowMs } = request;
  const laneMs = grained(request.intervalMs);
  const isHeld = request.holdUntilMs > nowMs + aheadMs(laneMs);
  const count = isHeld ? 0 : request.count;
  const ownLimit = own && new OwnLimit(own, nowMs);
  const sharedLimit = shared && new SharedLimit(shared, nowMs);
  let book = before;
  const slots: number[] = [];
  let againAtMs = 0;
  let isFull = false;
  while (slots.length < count) {
    let next: OneSlot;
    let notBefore = ownLimit?.nextAt ?? 0;
    for (;;) {
      next =
        notBefore > nowMs + AHEAD_MS
          ? { againAtMs: notBefore - AHEAD_MS }
          : bookOne(book, request, laneMs, notBefore);
      if (!("slot" in next) || !sharedLimit) break;
      const freeAt = sharedLimit.freeAt(next.slot);
      if (freeAt <= next.slot) break;
      isFull = freeAt > nowMs + AHEAD_MS;
      notBefore = freeAt;
    }
    if (!("slot" in next)) {
      againAtMs = next.againAtMs;
      break;
    }
    slots.push(next.slot);
    book = next.book;
    ownLimit?.take(next.slot, laneMs);
    sharedLimit?.take(next.slot);
  }
  if (slots.length === count && !isHeld && ownLimit) againAtMs = ownLimit.nextAt - AHEAD_MS;
  return {
    book,
    tat: isHeld ? (own?.tat ?? 0) : (ownLimit?.tat ?? 0),
    times: sharedLimit?.times ?? [],
    slots: slots.toSorted(ascending),
    againAtMs,
    isFull,
  };
}

class OwnLimit {
  tat: number;
  readonly #intervalMs: number;
  readonly #leadMs: number;

  constructor({ tat, intervalMs, burst }: OwnPace, nowMs: number) {
    this.#intervalMs = grained(intervalMs);
    this.#leadMs = leadOf(burst, this.#intervalMs);
    // Slots are booked a second ahead at most: a later time was written before the clock was set back.
    this.tat = Math.min(tat, nowMs + AHEAD_MS + this.#leadMs);
  }

  get nextAt(): number {
    return this.tat + this.#intervalMs - this.#leadMs;
  }

  take(slot: number, laneMs: number): void {
    const next = this.tat + this.#intervalMs;
    // A delay that the lane's rate adds to a slot is not lost for the next one.
    const isRounded = slot - this.nextAt < Math.min(laneMs, this.#intervalMs);
    this.tat = isRounded ? next : Math.max(next, slot);
  }
}

/** Each slot has a theoretical time at most `leadMs` after it; these are an interval away from each other. */
class SharedLimit {
  times: readonly number[];
  readonly #intervalMs: number;
  readonly #leadMs: number;

  constructor({ times, intervalMs, burst }: SharedPace, nowMs: number) {
    this.#intervalMs = grained(intervalMs);
    this.#leadMs = leadOf(burst, this.#intervalMs);
    const furthest = nowMs + AHEAD_MS + this.#leadMs;
    this.times = times.filter((time) => time > nowMs - this.#intervalMs && time <= furthest);
  }

  /** The first moment from `slot` on at which there is room. */
  freeAt(slot: number): number {
    if (this.times.length >= MOST_AHEAD) return this.times[0]! + this.#intervalMs + AHEAD_MS;
    return Math.max(slot, freeTime(this.times, slot, this.#intervalMs) - this.#leadMs);
  }

  take(slot: number): void {
    const time = freeTime(this.times, slot, this.#intervalMs);
    this.times = [...this.times, time].toSorted(ascending);
  }
}

type OneSlot = { readonly book: SlotBook; readonly slot: number } | { readonly againAtMs: number };

const bookOne = (
  before: SlotBook,
  { nowMs, burst, holdUntilMs }: SlotRequest,
  intervalMs: number,
  notBefore: number,
): OneSlot => {
  const earliest = Math.max(nowMs, holdUntilMs);
  const wanted = Math.max(earliest, notBefore);
  if (intervalMs === 0) return wanted > nowMs + AHEAD_MS ? { againAtMs: 0 } : { book: before, slot: wanted };
  const leadMs = leadOf(burst, intervalMs);
  const book = currentBook(before, intervalMs, leadMs, nowMs);
  const spareAt = book.spare.findIndex((slot) => slot >= wanted);
  if (spareAt !== -1)
    return { book: { ...book, spare: book.spare.toSpliced(spareAt, 1) }, slot: book.spare[spareAt]! };
  const time = freeTime(book.ahead, Math.max(book.tat + intervalMs, earliest), intervalMs);
  const slot = Math.max(earliest, time - leadMs);
  if (slot >= notBefore) {
    const latest = nowMs + aheadMs(intervalMs);
    return slot > latest ? { againAtMs: 0 } : { book: moved(book, time, intervalMs), slot };
  }
  const isBusy = book.tat + intervalMs > nowMs;
  const intervals = Math.max(0, Math.ceil((notBefore - time) / intervalMs));
  const at = freeTime(book.ahead, isBusy ? time + intervals * intervalMs : notBefore, intervalMs);
  if (at > nowMs + AHEAD_MS) return { againAtMs: Math.min(at - AHEAD_MS, notBefore) };
  if (book.ahead.length >= MOST_AHEAD) return { againAtMs: notBefore };
  return { book: { ...book, ahead: [...book.ahead, at].toSorted(ascending) }, slot: at };
};

const grained = (intervalMs: number): number =>
  Math.ceil(Math.min(intervalMs, LONGEST_INTERVAL_MS) * GRAINS_PER_MS) / GRAINS_PER_MS;

/** How far slots are before their theoretical times, with a burst. */
const leadOf = (burst: number, intervalMs: number): number => (atOnce(burst) - 1) * intervalMs;

/** The first theoretical time from `time` on that is an interval away from those that are out. */
const freeTime = (ahead: readonly number[], time: number, intervalMs: number): number =>
  ahead.reduce((free, out) => (Math.abs(free - out) < intervalMs ? out + intervalMs : free), time);

const moved = (book: SlotBook, tat: number, intervalMs: number): SlotBook =>
  tat > book.tat ? { ...book, tat, intervalMs, ahead: book.ahead.filter((out) => out > tat) } : book;

/** The part of the bookings that is valid now, at this rate. */
const currentBook = (book: SlotBook, intervalMs: number, leadMs: number, nowMs: number): SlotBook => {
  const bookMs = Math.min(book.intervalMs, LONGEST_INTERVAL_MS);
  // Every granted slot is within `aheadMs` of now, in true time. If the bookings say more, the clock was set back.
  const furthest = nowMs + aheadMs(Math.max(intervalMs, bookMs)) + leadMs;
  const wasSetBack = book.tat > furthest;
  // Spare slots of a faster rate would be too close together for a slower one.
  const spare = !wasSetBack && bookMs >= intervalMs ? book.spare : [];
  const tat = Math.min(book.tat, furthest);
  const ahead = wasSetBack ? [] : book.ahead.filter((out) => out > tat && out > nowMs - intervalMs);
  // A slot booked at a slower rate does not delay a faster one: the time before it is free.
  return bookMs > intervalMs && tat > nowMs
    ? { tat: tat - bookMs, intervalMs, spare, ahead: [tat, ...ahead].slice(0, MOST_AHEAD) }
    : { tat, intervalMs: bookMs, spare, ahead };
};

/** Slots that will not be used, for others to take. Those whose time has passed are lost. */
export function returnSlots(book: SlotBook, slots: readonly number[], nowMs: number): SlotBook {
  const spare = [...book.spare, ...slots].filter((slot) => slot >= nowMs).toSorted(ascending);
  return { ...book, spare };
}

/** When the next slot can be booked: before that, asking brings nothing. */
export const roomAtMs = (before: SlotBook, laneMs: number, burst: number, nowMs: number): number => {
  if (laneMs === 0 || before.spare.some((slot) => slot >= nowMs)) return 0;
  const intervalMs = grained(laneMs);
  const leadMs = leadOf(burst, intervalMs);
  const book = currentBook(before, intervalMs, leadMs, nowMs);
  return freeTime(book.ahead, book.tat + intervalMs, intervalMs) - leadMs - aheadMs(intervalMs);
};
