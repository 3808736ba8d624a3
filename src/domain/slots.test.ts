import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import {
  bookOwnSlots,
  bookSlots,
  defaultBurst,
  EMPTY_BOOK,
  lateToleranceMs,
  returnSlots,
  roomAtMs,
  type SlotBook,
} from "./slots.ts";

/** Times as a ledger has them: large, so that rounding shows. */
const START = 1_790_000_000_000;

const book = (from: SlotBook, request: Partial<Parameters<typeof bookSlots>[1]>) =>
  bookSlots(from, { nowMs: START, count: 1, intervalMs: 100, burst: 1, holdUntilMs: 0, ...request });

/** Law 3 for the times at which slots were used. See the proof at the top of slots.ts for a burst of one. */
function assertPace(uses: readonly number[], intervalMs: number, burst: number): void {
  const sorted = uses.toSorted((a, b) => a - b);
  for (const [i, first] of sorted.entries())
    for (let j = i + 1; j < Math.min(sorted.length, i + 200); j++) {
      const windows = (sorted[j]! - first) / intervalMs;
      const most = (burst === 1 ? Math.ceil(windows) : windows) + burst;
      const count = j - i + 1;
      assert.ok(count <= most, `${count} uses in ${windows} intervals, burst ${burst}`);
    }
}

const anyRate = fc.oneof(fc.integer({ min: 1, max: 500 }), fc.constantFrom(0.1, 0.5, 0.7, 1.5, 3.3, 33.3));
const anyBurst = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 30 }));
/** One call of one of several callers, and what happens to its slots: used late by a share of the tolerance, or returned. */
const anyCall = fc.record({
  gapMs: fc.oneof(fc.nat(50), fc.nat(1500), fc.nat(20_000)),
  count: fc.integer({ min: 1, max: 60 }),
  fates: fc.array(
    fc.oneof(
      { arbitrary: fc.constantFrom(0, 0.5, 1), weight: 3 },
      { arbitrary: fc.double({ min: 0, max: 1, noNaN: true }), weight: 2 },
      { arbitrary: fc.constant("return" as const), weight: 1 },
    ),
    { minLength: 1, maxLength: 20 },
  ),
});

test("with a burst of one, slots follow each other at even intervals", () => {
  const { slots } = book(EMPTY_BOOK, { count: 5 });
  assert.deepEqual(
    slots,
    [0, 100, 200, 300, 400].map((ms) => START + ms),
  );
});

test("slots are booked one second ahead, or one slot where that is longer", () => {
  assert.equal(book(EMPTY_BOOK, { count: 100 }).slots.length, 11);
  assert.deepEqual(book(EMPTY_BOOK, { count: 100, intervalMs: 5000 }).slots, [START, START + 5000]);
});

test("half of a burst is given at once, the rest is kept for lateness", () => {
  const { slots } = book(EMPTY_BOOK, { count: 6, burst: 8 });
  assert.deepEqual(
    slots,
    [0, 0, 0, 0, 100, 200].map((ms) => START + ms),
  );
  assert.equal(lateToleranceMs(100, 8), 350);
  assert.equal(lateToleranceMs(100, 1), 50);
});

test("a lane without a rate gives everything at once and calls no use late", () => {
  assert.deepEqual(book(EMPTY_BOOK, { count: 3, intervalMs: 0 }).slots, [START, START, START]);
  assert.equal(lateToleranceMs(0, 1), Infinity);
});

test("a held lane gives no slots before its time, and none at all while that time is far away", () => {
  assert.deepEqual(book(EMPTY_BOOK, { count: 2, holdUntilMs: START + 900 }).slots, [
    START + 900,
    START + 1000,
  ]);
  assert.deepEqual(book(EMPTY_BOOK, { holdUntilMs: START + 1001 }).slots, []);
  assert.deepEqual(book(EMPTY_BOOK, { intervalMs: 0, holdUntilMs: START + 1001 }).slots, []);
});

test("returned slots go to the next caller if their time has not passed", () => {
  const first = book(EMPTY_BOOK, { count: 4 });
  const returned = returnSlots(first.book, first.slots.slice(1), START + 50);
  const second = book(returned, { nowMs: START + 150, count: 3 });
  assert.deepEqual(
    second.slots,
    [200, 300, 400].map((ms) => START + ms),
  );
  assert.deepEqual(second.book.spare, []);
});

test("slots stay in order when a hold is lifted before the slots behind it were used", () => {
  const held = book(EMPTY_BOOK, { burst: 8, holdUntilMs: START + 900 });
  const lifted = book(returnSlots(held.book, held.slots, START), { burst: 8, count: 2 });
  assert.deepEqual(
    lifted.slots,
    [700, 900].map((ms) => START + ms),
  );
});

test("spare slots of a lane that has been slowed since are forgotten", () => {
  const fast = book(EMPTY_BOOK, { count: 10 });
  const returned = returnSlots(fast.book, fast.slots.slice(5), START);
  const slow = book(returned, { count: 10, intervalMs: 1000 });
  assert.deepEqual(slow.slots, []);
  assert.deepEqual(slow.book.spare, []);
});

test("the burst is one up to 20 requests per second, then the requests of 50 ms", () => {
  const bursts = [0.1, 1, 20, 40, 100, 1000, Infinity].map(defaultBurst);
  assert.deepEqual(bursts, [1, 1, 1, 2, 5, 50, 1]);
});

test("spare slots are forgotten when the clock is set back before them", () => {
  const { book: before, slots } = book(EMPTY_BOOK, { count: 5 });
  const nowMs = START - 86_400_000;
  const after = book(returnSlots(before, slots, START), { nowMs });
  assert.deepEqual([after.slots, after.book.spare], [[], []]);
});

test("an interval that has no exact binary fraction gains no slot in a quarter of an hour", () => {
  const intervalMs = 1000 / 300;
  let [state, count, last] = [EMPTY_BOOK, 0, START];
  for (let nowMs = START; nowMs < START + 900_000; nowMs += 1000) {
    const booked = book(state, { nowMs, intervalMs, count: 1000 });
    state = booked.book;
    count += booked.slots.length;
    last = booked.slots.at(-1) ?? last;
  }
  assert.ok(count <= (last - START) / intervalMs + 1);
});

test("no window ever sees more uses than rate × window + burst, with several callers, returns and every lateness allowed", () => {
  fc.assert(
    fc.property(anyRate, anyBurst, fc.array(anyCall, { maxLength: 25 }), (perSecond, burst, calls) => {
      const intervalMs = 1000 / perSecond;
      const lateMs = lateToleranceMs(intervalMs, burst);
      const uses: number[] = [];
      let [state, nowMs, unused]: [SlotBook, number, number[]] = [EMPTY_BOOK, START, []];
      for (const { gapMs, count, fates } of calls) {
        nowMs += gapMs;
        state = returnSlots(state, unused, nowMs);
        unused = [];
        const booked = bookSlots(state, { nowMs, count, intervalMs, burst, holdUntilMs: 0 });
        state = booked.book;
        for (const [i, slot] of booked.slots.entries()) {
          const fate = fates[i % fates.length]!;
          if (fate === "return") unused.push(slot);
          else uses.push(slot + fate * lateMs);
        }
      }
      assertPace(uses, intervalMs, burst);
    }),
    { numRuns: 500 },
  );
});

test("slots are ascending, not before now or the hold, not too far ahead, and no more than asked for", () => {
  fc.assert(
    fc.property(
      anyRate,
      anyBurst,
      fc.array(fc.tuple(anyCall, fc.nat(3000)), { maxLength: 20 }),
      (perSecond, burst, calls) => {
        const intervalMs = 1000 / perSecond;
        let [state, nowMs] = [EMPTY_BOOK, START];
        for (const [{ gapMs, count }, holdMs] of calls) {
          nowMs += gapMs;
          const holdUntilMs = nowMs - 1500 + holdMs;
          const booked = bookSlots(state, { nowMs, count, intervalMs, burst, holdUntilMs });
          const { slots } = booked;
          assert.ok(slots.length <= count);
          assert.deepEqual(
            slots,
            slots.toSorted((a, b) => a - b),
          );
          for (const slot of slots) {
            assert.ok(slot >= nowMs && slot >= holdUntilMs);
            assert.ok(slot <= nowMs + Math.max(1000, intervalMs + 0.001));
          }
          state = returnSlots(booked.book, slots.slice(1), nowMs);
        }
      },
    ),
  );
});

test("while slots are always requested, the lane runs at its full rate", () => {
  fc.assert(
    fc.property(
      anyRate,
      anyBurst,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 }),
      (perSecond, burst, gaps) => {
        const intervalMs = 1000 / perSecond;
        const slots: number[] = [];
        let [state, nowMs] = [EMPTY_BOOK, START];
        for (const gap of gaps) {
          const booked = bookSlots(state, { nowMs, count: 1e6, intervalMs, burst, holdUntilMs: 0 });
          state = booked.book;
          slots.push(...booked.slots);
          nowMs += gap * Math.max(1000, intervalMs);
        }
        for (const [i, slot] of slots.entries())
          assert.ok(slot <= START + i * (intervalMs + 0.001), "as early as the rate allows");
      },
    ),
  );
});

test("a lane whose interval changes keeps the pace of the fastest of them", () => {
  const anyRhythm = fc.constantFrom(20, 100, 1000, 7000, 60_000);
  fc.assert(
    fc.property(fc.array(fc.tuple(anyRhythm, fc.nat(2000)), { maxLength: 40 }), (calls) => {
      const slots: number[] = [];
      let [state, nowMs] = [EMPTY_BOOK, START];
      for (const [intervalMs, gapMs] of calls) {
        nowMs += gapMs;
        const booked = bookSlots(state, { nowMs, count: 3, intervalMs, burst: 1, holdUntilMs: 0 });
        state = booked.book;
        slots.push(...booked.slots);
      }
      const fastest = Math.min(...calls.map(([intervalMs]) => intervalMs));
      const sorted = slots.toSorted((a, b) => a - b);
      const gaps = sorted.slice(1).map((slot, i) => slot - sorted[i]!);
      assert.ok(gaps.every((gap) => gap >= fastest));
    }),
  );
});

test("a clock that is set back neither breaks the pace nor stops the lane", () => {
  const anyMove = fc.record({
    gapMs: fc.nat(800),
    setBackMs: fc.constantFrom(0, 0, 0, 50, 3000, 86_400_000),
  });
  fc.assert(
    fc.property(anyRate, anyBurst, fc.array(anyMove, { maxLength: 30 }), (perSecond, burst, moves) => {
      const intervalMs = 1000 / perSecond;
      const aheadMs = Math.max(1000, intervalMs);
      const starts: number[] = [];
      // Slots go out as delays, so they are used in true time whatever the ledger's clock says later.
      let [state, trueMs, offsetMs] = [EMPTY_BOOK, 0, START];
      const call = () => {
        const nowMs = trueMs + offsetMs;
        const booked = bookSlots(state, { nowMs, count: 1e6, intervalMs, burst, holdUntilMs: 0 });
        state = booked.book;
        starts.push(...booked.slots.map((slot) => slot - offsetMs));
        return booked.slots.length;
      };
      for (const { gapMs, setBackMs } of moves) {
        trueMs += gapMs;
        offsetMs -= setBackMs;
        call();
      }
      assertPace(starts, intervalMs, burst);
      trueMs += aheadMs + burst * intervalMs + intervalMs;
      assert.ok(call() > 0);
    }),
  );
});

test("a slot booked in a slow rhythm does not keep a faster one waiting, and is not doubled", () => {
  for (const slowMs of [60_000, 86_400_000, Number.MAX_VALUE, Infinity]) {
    const slow = book(EMPTY_BOOK, { count: 9, intervalMs: slowMs });
    const far = slow.slots.at(-1)!;
    assert.ok(far >= START + 60_000);
    assert.ok(roomAtMs(slow.book, 100, 1, START + 50) <= START + 50);
    const fast = book(slow.book, { nowMs: START + 50, count: 20 });
    assert.deepEqual(fast.slots.slice(0, 3), [START + 100, START + 200, START + 300]);
    const near = book(fast.book, { nowMs: far - 150, count: 20 });
    assertPace([...near.slots, far], 100, 1);
  }
});

test("a job keeps its own lower pace beside a job that uses the rest; the lane keeps its rate and is fully used", () => {
  const anyRun = fc.record({
    laneMs: fc.constantFrom(0, 20, 100, 500),
    share: fc.constantFrom(1.3, 2, 10, 1000),
    burst: fc.constantFrom(1, 4),
    gaps: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 60, maxLength: 90 }),
    isAlone: fc.boolean(),
  });
  fc.assert(
    fc.property(anyRun, ({ laneMs, share, burst, gaps, isAlone }) => {
      const ownMs = Math.max(laneMs, 50) * share;
      const [ownSlots, all]: number[][] = [[], []];
      let [state, tat, nowMs] = [EMPTY_BOOK, 0, START];
      for (const gapMs of gaps) {
        const request = { nowMs, count: 50, intervalMs: laneMs, burst, holdUntilMs: 0 };
        const own = bookOwnSlots(state, { own: { tat, intervalMs: ownMs, burst: 1 } }, request);
        ownSlots!.push(...own.slots);
        all!.push(...own.slots);
        ({ tat } = own);
        const other = isAlone || laneMs === 0 ? undefined : bookSlots(own.book, { ...request, count: 1e6 });
        all!.push(...(other?.slots ?? []));
        state = other?.book ?? own.book;
        nowMs += gapMs;
      }
      const passedMs = nowMs - START;
      // The lane's rhythm moves an own slot by less than an interval of either.
      const shiftMs = Math.min(laneMs, ownMs);
      assert.ok((ownSlots!.length - 1) * ownMs - shiftMs <= passedMs + 1000, `${ownSlots!.length} own slots`);
      assert.ok(ownSlots!.length >= Math.floor(passedMs / ownMs), `only ${ownSlots!.length} own slots`);
      if (laneMs === 0) return;
      assertPace(all!, laneMs, burst);
      if (!isAlone)
        assert.ok(all!.length >= Math.floor(passedMs / laneMs), `only ${all!.length} slots in all`);
    }),
  );
});

test("lanes that share a limit respect it together, and have their own rates within it", () => {
  const anyRun = fc.record({
    sharedMs: fc.constantFrom(1, 10, 60, 200),
    burst: fc.constantFrom(1, 4, 50),
    laneMs: fc.array(fc.constantFrom(0, 50, 100, 400), { minLength: 2, maxLength: 4 }),
    gaps: fc.array(fc.integer({ min: 1, max: 250 }), { minLength: 60, maxLength: 90 }),
  });
  fc.assert(
    fc.property(anyRun, ({ sharedMs, burst, laneMs, gaps }) => {
      const lanes = laneMs.map((intervalMs) => ({ intervalMs, state: EMPTY_BOOK, slots: [] as number[] }));
      let [times, nowMs]: [readonly number[], number] = [[], START];
      for (const gapMs of gaps) {
        for (const lane of lanes) {
          const { intervalMs } = lane;
          const request = { nowMs, count: 5, intervalMs, burst: 1, holdUntilMs: 0 };
          const shared = { times, intervalMs: sharedMs, burst };
          const booked = bookOwnSlots(lane.state, { shared }, request);
          lane.slots.push(...booked.slots);
          lane.state = booked.book;
          ({ times } = booked);
        }
        nowMs += gapMs;
      }
      assertPace(
        lanes.flatMap(({ slots }) => slots),
        sharedMs,
        burst,
      );
      for (const { intervalMs, slots } of lanes) if (intervalMs > 0) assertPace(slots, intervalMs, 1);
      const asked = laneMs.reduce<number>((sum, ms) => sum + (ms === 0 ? Infinity : 1 / ms), 0);
      if (asked > 0.5 / sharedMs) return;
      for (const { intervalMs, slots } of lanes)
        assert.ok(
          slots.length >= Math.floor((nowMs - START) / intervalMs),
          `${slots.length} at ${intervalMs}`,
        );
    }),
  );
});
