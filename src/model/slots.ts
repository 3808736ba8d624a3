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
  /** In force when `tat` last moved: how far ahead it may rightly lie, and how close together spare slots may be. */
  readonly intervalMs: number;
  /** Booked, given back, and still to come; ascending. */
  readonly spare: readonly number[];
}

export interface SlotRequest {
  readonly nowMs: number;
  readonly count: number;
  /** 0 for a lane without a rate. */
  readonly intervalMs: number;
  readonly burst: number;
  /** No slot before this (`Retry-After`, a held lane); 0 for none. */
  readonly holdUntilMs: number;
}

export interface Booking {
  readonly book: SlotBook;
  /** Absolute times, ascending; fewer than asked for when the lane has no more room. */
  readonly slots: readonly number[];
}

export const EMPTY_BOOK: SlotBook = { tat: 0, intervalMs: 0, spare: [] };

const AHEAD_MS = 1000;
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

export function bookSlots(book: SlotBook, request: SlotRequest): Booking {
  const { nowMs, count } = request;
  const intervalMs = Math.ceil(request.intervalMs * GRAINS_PER_MS) / GRAINS_PER_MS;
  const earliest = Math.max(nowMs, request.holdUntilMs);
  const latest = nowMs + aheadMs(intervalMs);
  if (count <= 0 || earliest > latest) return { book, slots: [] };
  if (intervalMs === 0) {
    const slots = Array.from({ length: count }, () => earliest);
    return { book: { tat: Math.max(book.tat, earliest), intervalMs, spare: [] }, slots };
  }

  const leadMs = (atOnce(request.burst) - 1) * intervalMs;
  // Every slot that is out lies within `aheadMs` of now, in true time. A book that says more had its clock set back.
  const furthest = nowMs + aheadMs(Math.max(intervalMs, book.intervalMs)) + leadMs;
  const wasSetBack = book.tat > furthest;
  let tat = Math.min(book.tat, furthest);
  // Spare slots of a faster rhythm would be too close together for a slower one.
  const isSpareSound = !wasSetBack && book.intervalMs >= intervalMs;
  const spare = isSpareSound ? book.spare.filter((slot) => slot >= earliest) : [];

  const slots = spare.splice(0, count);
  while (slots.length < count) {
    const slot = Math.max(earliest, tat + intervalMs - leadMs);
    if (slot > latest) break;
    slots.push(slot);
    tat = Math.max(tat + intervalMs, slot);
  }
  const hasMoved = tat > book.tat;
  return {
    book: { tat, intervalMs: hasMoved ? intervalMs : book.intervalMs, spare },
    slots: slots.toSorted(ascending),
  };
}

/** Slots that will not be used, for others to take. Those whose time has passed are lost. */
export function returnSlots(book: SlotBook, slots: readonly number[], nowMs: number): SlotBook {
  const spare = [...book.spare, ...slots].filter((slot) => slot >= nowMs).toSorted(ascending);
  return { ...book, spare };
}

/** When the next slot can be booked: before that, asking brings nothing. */
export const roomAtMs = (book: SlotBook, intervalMs: number, burst: number, nowMs: number): number => {
  if (intervalMs === 0 || book.spare.some((slot) => slot >= nowMs)) return 0;
  return book.tat + intervalMs - (atOnce(burst) - 1) * intervalMs - aheadMs(intervalMs);
};
