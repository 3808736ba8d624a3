import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openSqlite } from "../backends/sqlite/open.ts";
import type { Pace } from "../domain/job-version.ts";
import { InFlightItems } from "../pipeline/claim.ts";
import { keysOf, Kit } from "../ports/ledger-suite/test-kit.ts";
import type { ClaimedItem } from "../ports/ledger.ts";
import { CLAIM_EVERY_MS, ClaimCadence, GATHER_MS, WakeSignal } from "./claim-cadence.ts";

const ANSWER_MS = 100;
const SECONDS = 30;
const CAPACITY = 200;

interface Counts {
  claims: number;
  empty: number;
  ended: number;
}

/** One worker's claims on a real ledger, in a time that passes from event to event: each item ends `ANSWER_MS` after its slot. */
const work = async (t: TestContext, pace: Pace, items: number): Promise<Counts> => {
  const kit = await Kit.create(t, (folder, options) => openSqlite(join(folder, "ledger.db"), options));
  await kit.job("job", keysOf(items), { pace });
  const { ledger } = kit;
  const inFlight = new InFlightItems({ ledger, worker: "w1", capacity: CAPACITY, maxUnsettled: Infinity });
  const cadence = new ClaimCadence(CAPACITY, () => kit.nowMs);
  const counts = { claims: 0, empty: 0, ended: 0 };
  const underWay: { readonly item: ClaimedItem; readonly slotAt: number }[] = [];
  const until = kit.nowMs + SECONDS * 1000;
  while (kit.nowMs < until) {
    if (inFlight.room > 0 && cadence.waitMs <= 0) {
      kit.pass(GATHER_MS);
      const { room } = inFlight;
      const grant = await inFlight.claim();
      cadence.asked(grant, room);
      counts.claims++;
      if (grant.items.length === 0) counts.empty++;
      const slots = grant.slots.flatMap(({ delaysMs }) => delaysMs);
      for (const [n, item] of grant.items.entries())
        underWay.push({ item, slotAt: kit.nowMs + (slots[n] ?? 0) });
    }
    underWay.sort((a, b) => a.slotAt - b.slotAt);
    const first = underWay[0];
    const endInMs = first ? first.slotAt + ANSWER_MS - kit.nowMs : Infinity;
    kit.pass(Math.max(1, Math.min(endInMs, cadence.waitMs)));
    if (!first || first.slotAt + ANSWER_MS > kit.nowMs) continue;
    underWay.shift();
    inFlight.release(first.item);
    counts.ended++;
    const isPaced = Number.isFinite(pace.perSecond);
    const lastSlotAt = isPaced ? (underWay.at(-1)?.slotAt ?? -Infinity) : -Infinity;
    if (inFlight.size === 0) cadence.soon();
    else cadence.freed({ lastSlotAt, room: inFlight.room });
  }
  return counts;
};

for (const [perSecond, concurrency, most] of [
  [0.5, 4, 0.6],
  [2, 4, 2.1],
  [10, 4, 5],
  [10, 8, 4.1],
  [10, 50, 4.1],
  [100, 50, 4.1],
] as const)
  test(`at ${perSecond}/s and concurrency ${concurrency}: at most ${most} claims per second, at most one in ten empty, and the full rate`, async (t) => {
    const { claims, empty, ended } = await work(t, { perSecond, burst: 1, concurrency }, 3200);
    assert.ok(claims <= most * SECONDS + 2, `${claims} claims`);
    assert.ok(empty <= claims / 10, `${empty} of ${claims} claims were empty`);
    assert.ok(ended >= perSecond * (SECONDS - 1) * 0.98, `${ended} items`);
  });

test("a lane with a single place is filled again as soon as it is free, with one claim per item", async (t) => {
  const { claims, empty, ended } = await work(t, { perSecond: 10, burst: 1, concurrency: 1 }, 400);
  assert.ok(claims <= ended + 2 && empty === 0, `${claims} claims, ${empty} empty, ${ended} items`);
  assert.ok(ended >= (SECONDS * 1000) / (ANSWER_MS + 3) - 1, `${ended} items`);
});

test("places of a lane without a rate are filled again at once", async (t) => {
  const { claims, empty, ended } = await work(t, { perSecond: Infinity, burst: 1, concurrency: 5 }, 2000);
  assert.ok(empty === 0, `${empty} of ${claims} claims were empty`);
  assert.ok(ended >= ((SECONDS * 1000) / (ANSWER_MS + 3) - 1) * 5, `${ended} items`);
});

test("when all items are done, the ledger is asked every two seconds", async (t) => {
  const { claims, ended } = await work(t, { perSecond: 10, burst: 1, concurrency: 8 }, 1);
  assert.equal(ended, 1);
  assert.ok(claims <= SECONDS / 2 + 3, `${claims} claims`);
});

test("new items are claimed at the regular time, and more items of a productive lane at once", () => {
  let now = 0;
  const cadence = new ClaimCadence(10, () => now);
  cadence.asked({ items: [] }, 10);
  cadence.heard();
  assert.equal(cadence.waitMs, CLAIM_EVERY_MS);
  now = CLAIM_EVERY_MS;
  cadence.asked({ items: [], againInMs: 0 }, 10);
  assert.equal(cadence.waitMs, 0);
});

test("a full worker claims when an eighth of its places is free, or before a lane has used its last slot", () => {
  const cadence = new ClaimCadence(16, () => 0);
  const full = { items: Array<ClaimedItem>(16), againInMs: 0 };
  cadence.asked(full, 16);
  cadence.freed({ lastSlotAt: 1000, room: 1 });
  assert.equal(cadence.waitMs, CLAIM_EVERY_MS);
  cadence.freed({ lastSlotAt: 200, room: 1 });
  assert.equal(cadence.waitMs, 150);
  cadence.asked(full, 16);
  cadence.freed({ lastSlotAt: 1000, room: 2 });
  assert.equal(cadence.waitMs, 0);
});

const LONG_MS = 3_600_000;

test("a wake signal ends the wait", async () => {
  const wakeSignal = new WakeSignal();
  const waiting = wakeSignal.wait(LONG_MS);
  wakeSignal.ring();
  await waiting;
});

test("a wake signal before the wait is not lost, and counts once", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const wakeSignal = new WakeSignal();
  wakeSignal.ring();
  wakeSignal.ring();
  await wakeSignal.wait(LONG_MS);
  let isOver = false;
  const second = wakeSignal.wait(LONG_MS).then(() => (isOver = true));
  await Promise.resolve();
  assert.equal(isOver, false);
  t.mock.timers.tick(LONG_MS);
  await second;
});
